/// The decoded audio before and after the frame that the engine renders next (the cursor). Audio before the cursor is kept, because the audio has to
/// be rendered again if the device returns its frames. The engine's thread owns the track.
///
/// In a crossfade, the end of an item and the beginning of the next item become one mixed block of the next item.
final class Track {
    /// The blocks of audio, and the starts and ends of items, in the order of playback.
    private var elements: [FeedElement] = []
    /// The index of the element that is rendered next.
    private var cursor = 0
    /// The number of frames of the block at the cursor that were already rendered; 0 if the element at the cursor is not a block.
    private(set) var offset = 0
    /// The overlaps of consecutive items that were mixed and that can still be undone, with the original audio that the mix has replaced. An overlap
    /// is discarded at about the time at which its crossfade begins to be heard.
    private var overlaps: [Overlap] = []
    private struct Overlap {
        var from: ItemID
        var into: ItemID
        /// The last blocks and the end of the former item, as they were before the mix.
        var tail: [FeedElement]
    }
    /// The item of which the engine has decided whether its end is crossfaded into the next item; nil if no decision was made.
    private(set) var crossfadeDecidedFor: ItemID?
    /// The number of decoded frames that follow the cursor.
    private(set) var framesAhead = 0

    /// The element at the cursor, which is rendered next; nil if no element follows.
    var next: FeedElement? { cursor < elements.count ? elements[cursor] : nil }

    func append(_ element: FeedElement) {
        elements.append(element)
        if case .block(_, let block) = element { framesAhead += block.frameCount }
    }

    /// Discards all elements of the track. The decision whether to crossfade is discarded too, because it was made for the discarded audio.
    func removeAll() { (elements, cursor, offset, overlaps, framesAhead, crossfadeDecidedFor) = ([], 0, 0, [], 0, nil) }

    /// Moves the cursor to the next element of the track.
    func skip() {
        if case .block(_, let block) = elements[cursor] { framesAhead -= block.frameCount - offset }
        cursor += 1
        offset = 0
    }

    /// Moves the cursor by `count` frames, inside the block at the cursor or to the end of that block.
    func consume(_ count: Int) {
        guard case .block(_, let block) = elements[cursor] else { return }
        offset += count
        framesAhead -= count
        if offset == block.frameCount {
            cursor += 1
            offset = 0
        }
    }

    /// A position of the track's cursor, which is valid until elements of the track are discarded.
    struct Mark { var cursor: Int, offset: Int }
    var mark: Mark { Mark(cursor: cursor, offset: offset) }
    func restore(_ mark: Mark) { move(to: mark.cursor, offset: mark.offset) }

    /// Whether the end of an item is at the cursor or after it.
    var hasEndAhead: Bool { elements[cursor...].contains { if case .end = $0 { true } else { false } } }

    /// Moves the cursor to a media position of an item, in frames; for a position after the item's end, to the end. Returns false, with nothing
    /// changed, if the track does not contain the item's audio from `position` on. Forward playback only. If `position` is the end of the track's
    /// last block, the cursor moves to the track's end, and the result is true.
    func rewind(to item: ItemID, position: Int64) -> Bool {
        var following: Int?
        for (index, element) in elements.enumerated() {
            switch element {
            case .block(item, let block) where position >= block.position && position < block.end:
                move(to: index, offset: Int(position - block.position))
                return true
            case .block(item, let block) where position == block.end: following = index + 1
            case .start(item, position), .join(item, position, _): following = index + 1
            case .end(item, let end) where position >= end:
                move(to: index, offset: 0)
                return true
            default: continue
            }
        }
        guard let following else { return false }
        move(to: following, offset: 0)
        return true
    }

    /// Moves the cursor to the element after an item's end.
    func move(afterEndOf item: ItemID) {
        guard let end = elements.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return }
        move(to: end + 1, offset: 0)
    }

    /// Returns the item and the media position (in frames) from which the feeder has to read to continue the audio in the track. Returns nil if the
    /// track ends with an item's end or failure, or if it is empty.
    func continuation(isReverse: Bool) -> (item: ItemID, position: Int64)? {
        switch elements.last {
        case .block(let item, let block): (item, isReverse ? block.position : block.end)
        case .start(let item, let position), .join(let item, let position, _): (item, position)
        default: nil
        }
    }

    /// The item with whose end the track ends, and the media position of the end in frames; nil if the track ends with something else.
    var itemEnd: (item: ItemID, position: Int64)? {
        if case .end(let item, let position)? = elements.last { (item, position) } else { nil }
    }

    /// Discards the elements before the cursor.
    func trimToCursor() {
        elements.removeFirst(cursor)
        cursor = 0
        discardOverlaps()
    }

    /// Moves the cursor to the element after the start of an item, so that the item's first audio is rendered next. Returns the media position of the
    /// item's start, in frames; nil if the track does not contain the start.
    func move(toStartOf item: ItemID) -> Int64? {
        for (index, element) in elements.enumerated() {
            if case .start(item, let position) = element {
                move(to: index + 1, offset: 0)
                return position
            }
        }
        return nil
    }

    /// Removes the elements after the end of an item. Returns whether some of the removed audio was already rendered, so that it has to be withdrawn
    /// from the device.
    func truncate(after item: ItemID) -> Bool {
        undoCrossfade(from: item)
        guard let end = elements.firstIndex(where: { $0.ends(item) }) else { return false }
        let wasAfterEnd = cursor > end + 1 || (cursor == end + 1 && offset > 0)
        elements.removeSubrange((end + 1)...)
        if cursor > elements.count { (cursor, offset) = (elements.count, 0) }
        recount()
        return wasAfterEnd
    }

    /// Discards the elements before a media position (in frames) of an item, because they have been heard.
    ///
    /// - Parameter joinsAhead: the number of joins (turns of a loop) between that position and the cursor.
    func trim(before item: ItemID, position: Int64, joinsAhead: Int = 0) {
        let first = indexOfJoin(beforeJoins: joinsAhead)
        var drop = first
        search: for index in first..<max(first, cursor) {
            switch elements[index] {
            case .join where index > first: break search
            case .block(item, let block) where block.end > position:
                drop = index
                break search
            case .block(item, _), .start(item, _), .join(item, _, _): drop = index
            case .end(item, _):
                drop = index
                break search
            default: continue
            }
        }
        guard drop > 0 else { return }
        elements.removeFirst(drop)
        cursor -= drop
        discardOverlaps()
    }

    /// Counts joins backwards from the cursor, skips `count` joins, and returns the index of the next join; 0 if the track has no further join.
    private func indexOfJoin(beforeJoins count: Int) -> Int {
        var left = count
        for index in (0..<cursor).reversed() {
            guard case .join = elements[index] else { continue }
            if left == 0 { return index }
            left -= 1
        }
        return 0
    }

    // MARK: Loops

    /// The result of `cut`: the end of the audio that the track keeps of an item.
    enum Cut: Equatable {
        /// The kept audio ends with the end of the loop.
        case atLoopEnd
        /// The kept audio ends inside the item, at the media frame `position`. The feeder must read the item from this position on.
        case open(position: Int64)
        /// The kept audio contains the end of the item, and the new loop does not end before it. Nothing has to be read again.
        case complete
    }

    /// Discards the audio that is invalid with another loop of an item: audio after a turn of the former loop, and audio after the end of the new
    /// loop.
    ///
    /// The audio from the last turn before the cursor up to the cursor is kept, because the device may return it. Returns nil if the track has no
    /// audio of the item.
    ///
    /// - Parameter end: the end of the new loop, in media frames; nil if the item no longer repeats.
    func cut(_ item: ItemID, atLoopEnd end: Int64?) -> Cut? {
        undoCrossfade(from: item)
        if let turn = elements[..<cursor].lastIndex(where: { if case .join = $0 { true } else { false } }) {
            elements.removeFirst(turn + 1)
            cursor -= turn + 1
            discardOverlaps()
        }
        search: for index in cursor..<elements.count {
            switch elements[index] {
            case .join:
                removeAll(from: index)
                break search
            case .block(item, let block):
                let position = block.position + Int64(index == cursor ? offset : 0)
                guard let end, position < end, end <= block.end else { continue }
                if end < block.end { elements[index] = .block(item, block.split(at: Int(end - block.position)).0) }
                removeAll(from: index + 1)
                return .atLoopEnd
            case .end(item, _): return .complete
            default: continue
            }
        }
        guard let rest = continuation(isReverse: false), rest.item == item else { return nil }
        return rest.position == end ? .atLoopEnd : .open(position: rest.position)
    }

    private func removeAll(from index: Int) {
        elements.removeSubrange(index...)
        recount()
    }

    private func move(to index: Int, offset: Int) {
        (cursor, self.offset) = (index, offset)
        recount()
    }

    /// Discards the overlaps that can no longer be undone, because the track no longer contains the end of the former item.
    private func discardOverlaps() {
        overlaps.removeAll { overlap in
            !elements.contains { if case .end(overlap.from, _) = $0 { true } else { false } }
        }
    }

    private func recount() {
        framesAhead = -offset
        for element in elements[cursor...] {
            if case .block(_, let block) = element { framesAhead += block.frameCount }
        }
        framesAhead = max(0, framesAhead)
    }

    // MARK: Crossfades

    /// Records that the engine has decided whether the end of `item` is crossfaded into the next item.
    func noteCrossfadeDecided(for item: ItemID) { crossfadeDecidedFor = item }
    /// Discards the decision whether to crossfade, because the audio that follows the item has changed.
    func forgetCrossfadeDecision() { crossfadeDecidedFor = nil }

    /// The end of an item in the track, and the known audio of the next item.
    struct End {
        var index: Int
        var position: Int64
        /// The number of the item's frames between the track's cursor and the item's end.
        var framesBefore: Int
        var next: (item: ItemID, frames: Int, hasEnd: Bool)?
    }

    /// Returns the end of an item, if the end is at the cursor or after it; nil if the track does not contain the end.
    func end(of item: ItemID) -> End? {
        var frames = -offset
        for index in cursor..<elements.count {
            switch elements[index] {
            case .block(item, let block): frames += block.frameCount
            case .end(item, let position): return End(index: index, position: position, framesBefore: max(0, frames), next: start(after: index))
            case .start(item, _), .join(item, _, _): continue
            default: return nil
            }
        }
        return nil
    }

    private func start(after end: Int) -> (item: ItemID, frames: Int, hasEnd: Bool)? {
        guard end + 1 < elements.count, case .start(let next, _) = elements[end + 1] else { return nil }
        var frames = 0
        for element in elements[(end + 2)...] {
            guard case .block(next, let block) = element else { return (next, frames, true) }
            frames += block.frameCount
        }
        return (next, frames, false)
    }

    /// Mixes the last `frames` frames of an item with the first `frames` frames of the next item. The last frames of the former item must all follow
    /// the cursor. Does nothing if one of the two items has fewer frames in the track.
    ///
    /// - Parameter gain: the factor for the audio of the former item. The factor preserves the loudness of the former item, although the mix is
    ///   rendered as a part of the next item.
    func crossfade(from item: ItemID, frames: Int, gain: Float) {
        guard frames > 0, let end = end(of: item), frames <= end.framesBefore, let next = end.next, frames <= next.frames,
            case .start(_, let start) = elements[end.index + 1]
        else { return }
        let (first, tail) = split(before: end.index, frames: frames)
        let last = elements[first...].firstIndex { if case .end(item, _) = $0 { true } else { false } } ?? first
        // The beginning of the next item is split at the end of the crossfade.
        var head: [AudioBlock] = []
        var left = frames
        var index = last + 2
        while left > 0, case .block(let other, let block) = elements[index] {
            if block.frameCount > left {
                let (before, after) = block.split(at: left)
                elements.replaceSubrange(index...index, with: [.block(other, before), .block(other, after)])
                head.append(before)
            } else {
                head.append(block)
            }
            left -= head.last?.frameCount ?? left
            index += 1
        }
        guard let mixed = CrossfadeMix.mix(tail, into: head, frames: frames, gain: gain, at: start) else { return }
        let own = tail.map { FeedElement.block(item, $0) } + [elements[last]]
        overlaps.append(Overlap(from: item, into: next.item, tail: own))
        elements.replaceSubrange((last + 2)..<index, with: [.block(next.item, mixed)])
        elements[last] = .end(item, position: end.position - Int64(frames))
        elements.removeSubrange(first..<last)
        if cursor > first { cursor = first }
        recount()
    }

    /// Splits the blocks before the element at index `end`, so that the last `frames` frames before that element are separate blocks. Returns the
    /// separate blocks, and the index of the first of them.
    private func split(before end: Int, frames: Int) -> (first: Int, tail: [AudioBlock]) {
        var tail: [AudioBlock] = []
        var left = frames
        var index = end
        while left > 0, index > cursor, case .block(let item, let block) = elements[index - 1] {
            index -= 1
            guard block.frameCount > left else {
                tail.insert(block, at: 0)
                left -= block.frameCount
                continue
            }
            let (before, after) = block.split(at: block.frameCount - left)
            elements.replaceSubrange(index...index, with: [.block(item, before), .block(item, after)])
            tail.insert(after, at: 0)
            index += 1
            if index - 1 == cursor, offset == before.frameCount { (cursor, offset) = (index, 0) }
            left = 0
        }
        return (index, tail)
    }

    /// Whether the end of an item was mixed with the next item.
    func isCrossfaded(from item: ItemID) -> Bool { overlaps.contains { $0.from == item } }
    /// Whether the beginning of an item was mixed with the preceding item.
    func isCrossfaded(into item: ItemID) -> Bool { overlaps.contains { $0.into == item } }

    /// Restores the unmixed end of an item, because the item with which it was mixed no longer follows.
    func undoCrossfade(from item: ItemID) {
        guard let at = overlaps.firstIndex(where: { $0.from == item }) else { return }
        let overlap = overlaps.remove(at: at)
        guard let end = elements.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return }
        elements.replaceSubrange(end...end, with: overlap.tail)
        if cursor > end { cursor += overlap.tail.count - 1 }
    }
}
