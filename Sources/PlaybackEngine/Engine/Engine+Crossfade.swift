/// Items that overlap where one follows the other: the end of the first fades out while the beginning of the next fades in, at equal power.
///
/// The overlap is at most half of either item. The timeline goes over to the next item where it begins to be heard, at the start of the overlap; what
/// remains of the former one belongs to the next one's sound from there on. Where the next item is not there in time, they join without overlap.
extension Engine {
    private var crossfadeFrames: Int { Int(settings.crossfade * Double(output.format.sampleRate)) }

    /// Looks far enough ahead of an item's sound to overlap its end with what follows. False where more has to be read first.
    func prepareCrossfade(of item: ItemID) -> Bool {
        guard settings.crossfade > 0, !settings.isReverse, uncrossed != item, !track.isCrossfaded(from: item), hasFollower(item) else { return true }
        while true {
            if let end = track.end(of: item) {
                var frames = min(crossfadeFrames, end.framesBefore, Int(clamping: end.position / 2))
                if let next = end.next {
                    if let length = facts.length(of: next.item) { frames = min(frames, Int(clamping: length / 2)) }
                    if next.hasEnd { frames = min(frames, next.frames / 2) }
                    if frames == 0 || next.frames >= frames {
                        if frames > 0 { track.crossfade(from: item, frames: frames, gain: gain(of: item) / max(gain(of: next.item), 1e-6)) }
                        uncrossed = item
                        return true
                    }
                }
            } else if track.framesAhead > crossfadeFrames + output.format.sampleRate {
                return true
            }
            if let piece = reading.next() {
                if case .truncate(let last) = piece { cut(after: last) } else { append(piece) }
            } else if isForEars,
                (output.ring?.endFrame ?? 0) - playbackClock.now().frame
                    < Int64(max(output.format.sampleRate / 4, plan.primeFrames))
            {
                // Sound now is worth more than an overlap later.
                return true
            } else {
                return false
            }
        }
    }
}

extension Track {
    /// Where an item ends, and what is there of the next one.
    struct End {
        var index: Int
        var position: Int64
        /// Frames of the item between the cursor and its end.
        var framesBefore: Int
        var next: (item: ItemID, frames: Int, hasEnd: Bool)?
    }

    /// An item's end at or ahead of the cursor, nil where it is not there.
    func end(of item: ItemID) -> End? {
        var frames = -offset
        for index in cursor..<pieces.count {
            switch pieces[index] {
            case .block(item, let block): frames += block.frameCount
            case .end(item, let position): return End(index: index, position: position, framesBefore: max(0, frames), next: start(behind: index))
            case .start(item, _): continue
            default: return nil
            }
        }
        return nil
    }

    private func start(behind end: Int) -> (item: ItemID, frames: Int, hasEnd: Bool)? {
        guard end + 1 < pieces.count, case .start(let next, _) = pieces[end + 1] else { return nil }
        var frames = 0
        for piece in pieces[(end + 2)...] {
            guard case .block(next, let block) = piece else { return (next, frames, true) }
            frames += block.frameCount
        }
        return (next, frames, false)
    }

    /// Overlaps the last `frames` frames of an item, all ahead of the cursor, with the first of the next one, of which there are as many.
    ///
    /// - Parameter gain: what the former is multiplied by, so that it has its own loudness although it is rendered as a part of the next.
    mutating func crossfade(from item: ItemID, frames: Int, gain: Float) {
        guard frames > 0, let end = end(of: item), frames <= end.framesBefore, let next = end.next, frames <= next.frames,
            case .start(_, let start) = pieces[end.index + 1]
        else { return }
        let (first, tail) = split(before: end.index, frames: frames)
        let last = pieces.firstIndex { if case .end(item, _) = $0 { true } else { false } } ?? first
        // The head: cut where the overlap ends.
        var head: [AudioBlock] = []
        var left = frames
        var index = last + 2
        while left > 0, case .block(let other, let block) = pieces[index] {
            if block.frameCount > left {
                let (before, after) = block.split(at: left)
                pieces.replaceSubrange(index...index, with: [.block(other, before), .block(other, after)])
                head.append(before)
            } else {
                head.append(block)
            }
            left -= head.last?.frameCount ?? left
            index += 1
        }
        let outgoing = tail.flatMap { Array($0.samples) }
        let incoming = head.flatMap { Array($0.samples) }
        let channels = head.first?.channelCount ?? 1
        guard outgoing.count == incoming.count, incoming.count == frames * channels else { return }
        let mixed = AudioBlock(position: start, frameCount: frames, channelCount: channels) { buffer in
            for frame in 0..<frames {
                let angle = Double.pi / 2 * (Double(frame) + 0.5) / Double(frames)
                let (up, down) = (Float(sine(angle)), Float(sine(Double.pi / 2 - angle)) * gain)
                for sample in (frame * channels)..<((frame + 1) * channels) { buffer[sample] = outgoing[sample] * down + incoming[sample] * up }
            }
        }
        let own = tail.map { FeedElement.block(item, $0) } + [pieces[last]]
        overlaps.append(Overlap(from: item, into: next.item, tail: own))
        pieces.replaceSubrange((last + 2)..<index, with: [.block(next.item, mixed)])
        pieces[last] = .end(item, position: end.position - Int64(frames))
        pieces.removeSubrange(first..<last)
        if cursor > first { cursor = first }
        recount()
    }

    /// Cuts the last `frames` frames before a piece off. Returns where they begin, and them.
    private mutating func split(before end: Int, frames: Int) -> (first: Int, tail: [AudioBlock]) {
        var tail: [AudioBlock] = []
        var left = frames
        var index = end
        while left > 0, index > cursor, case .block(let item, let block) = pieces[index - 1] {
            index -= 1
            guard block.frameCount > left else {
                tail.insert(block, at: 0)
                left -= block.frameCount
                continue
            }
            let (before, after) = block.split(at: block.frameCount - left)
            pieces.replaceSubrange(index...index, with: [.block(item, before), .block(item, after)])
            tail.insert(after, at: 0)
            index += 1
            if index - 1 == cursor, offset == before.frameCount { (cursor, offset) = (index, 0) }
            left = 0
        }
        return (index, tail)
    }

    /// Whether an item's end overlaps with the next one.
    func isCrossfaded(from item: ItemID) -> Bool { overlaps.contains { $0.from == item } }
    /// Whether an item's beginning overlaps with the one before.
    func isCrossfaded(into item: ItemID) -> Bool { overlaps.contains { $0.into == item } }

    /// Gives an item its own end back: what overlapped with it does not follow any more.
    mutating func undoCrossfade(from item: ItemID) {
        guard let at = overlaps.firstIndex(where: { $0.from == item }) else { return }
        let overlap = overlaps.remove(at: at)
        guard let end = pieces.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return }
        pieces.replaceSubrange(end...end, with: overlap.tail)
        if cursor > end { cursor += overlap.tail.count - 1 }
    }
}

/// The sine, without the C library: a Taylor series is exact to the last bit of a Float between 0 and a quarter turn.
private func sine(_ angle: Double) -> Double {
    var (term, sum) = (angle, angle)
    for order in stride(from: 2.0, through: 16, by: 2) {
        term *= -angle * angle / (order * (order + 1))
        sum += term
    }
    return sum
}

extension AudioBlock {
    /// The frames before one of them, and those from it on.
    func split(at frame: Int) -> (AudioBlock, AudioBlock) { (part(0, frame), part(frame, frameCount)) }

    private func part(_ first: Int, _ last: Int) -> AudioBlock {
        AudioBlock(position: position + Int64(first), frameCount: last - first, channelCount: channelCount) { buffer in
            _ = buffer.initialize(from: samples[(first * channelCount)..<(last * channelCount)])
        }
    }
}
