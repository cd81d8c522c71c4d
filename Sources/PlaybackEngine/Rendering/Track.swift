/// The decoded audio around the frame that the engine renders next: what lies ahead, and what was rendered but may have to be rendered again because the
/// device has not taken it. Owned by the engine's thread.
///
/// With a crossfade, the end of an item and the beginning of the next are one mixed block of the next item.
final class Track {
    /// The elements, in the order in which they are heard.
    private var pieces: [FeedElement] = []
    /// The index of the piece to be rendered next.
    private var cursor = 0
    /// The number of frames of that piece, if it is a block, that were rendered.
    private(set) var offset = 0
    /// The items that overlap, with what they were before.
    private var overlaps: [Overlap] = []
    private struct Overlap {
        var from: ItemID
        var into: ItemID
        /// The former item's own end.
        var tail: [FeedElement]
    }
    /// The item whose crossfade was decided, for or against.
    private(set) var crossfadeDecidedFor: ItemID?
    /// Frames ahead of the cursor.
    private(set) var framesAhead = 0

    /// The piece at the cursor, nil where nothing is ahead.
    var next: FeedElement? { cursor < pieces.count ? pieces[cursor] : nil }

    func append(_ piece: FeedElement) {
        pieces.append(piece)
        if case .block(_, let block) = piece { framesAhead += block.frameCount }
    }

    /// Discards everything, also the decision about a crossfade: it was made for audio that is gone.
    func removeAll() { (pieces, cursor, offset, overlaps, framesAhead, crossfadeDecidedFor) = ([], 0, 0, [], 0, nil) }

    /// Moves past the piece at the cursor.
    func skip() {
        if case .block(_, let block) = pieces[cursor] { framesAhead -= block.frameCount - offset }
        cursor += 1
        offset = 0
    }

    /// Moves `count` frames on inside the block at the cursor.
    func consume(_ count: Int) {
        guard case .block(_, let block) = pieces[cursor] else { return }
        offset += count
        framesAhead -= count
        if offset == block.frameCount {
            cursor += 1
            offset = 0
        }
    }

    /// A place of the cursor. Valid while nothing is forgotten.
    struct Mark { var cursor: Int, offset: Int }
    var mark: Mark { Mark(cursor: cursor, offset: offset) }
    func restore(_ mark: Mark) { move(to: mark.cursor, offset: mark.offset) }

    /// Whether an item's end lies at or ahead of the cursor.
    var hasEndAhead: Bool { pieces[cursor...].contains { if case .end = $0 { true } else { false } } }

    /// Puts the cursor on a media position of an item, or at the item's end where the position lies behind it. False, and nothing changes, where no
    /// sound of the item is kept from that position on.
    func rewind(to item: ItemID, position: Int64) -> Bool {
        var behind: Int?
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .block(item, let block) where position >= block.position && position < block.end:
                move(to: index, offset: Int(position - block.position))
                return true
            case .block(item, let block) where position == block.end: behind = index + 1
            case .start(item, position): behind = index + 1
            case .end(item, let end) where position >= end:
                move(to: index, offset: 0)
                return true
            default: continue
            }
        }
        guard let behind else { return false }
        move(to: behind, offset: 0)
        return true
    }

    /// Puts the cursor behind an item's end.
    func move(behindEndOf item: ItemID) {
        guard let end = pieces.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return }
        move(to: end + 1, offset: 0)
    }

    /// Where reading goes on behind what is kept, nil where an item's end has been reached or nothing is kept.
    func continuation(isReverse: Bool) -> (item: ItemID, position: Int64)? {
        switch pieces.last {
        case .block(let item, let block): (item, isReverse ? block.position : block.end)
        case .start(let item, let position): (item, position)
        default: nil
        }
    }

    /// Forgets everything before the cursor.
    func trimToCursor() {
        pieces.removeFirst(cursor)
        cursor = 0
        forgetOverlaps()
    }

    /// Puts the cursor behind the start of an item, so that its sound is next. False where that start is not kept.
    func move(toStartOf item: ItemID) -> Int64? {
        for (index, piece) in pieces.enumerated() {
            if case .start(item, let position) = piece {
                move(to: index + 1, offset: 0)
                return position
            }
        }
        return nil
    }

    /// Removes what follows the end of an item. True where the cursor was behind it: that much has been rendered and must be withdrawn.
    func truncate(after item: ItemID) -> Bool {
        undoCrossfade(from: item)
        guard let end = pieces.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return false }
        let wasBehind = cursor > end + 1 || (cursor == end + 1 && offset > 0)
        pieces.removeSubrange((end + 1)...)
        if cursor > pieces.count { (cursor, offset) = (pieces.count, 0) }
        recount()
        return wasBehind
    }

    /// Forgets what lies before a media position of an item: it has been heard.
    func trim(before item: ItemID, position: Int64) {
        var drop = 0
        search: for (index, piece) in pieces.enumerated() where index < cursor {
            switch piece {
            case .block(item, let block) where block.end > position:
                drop = index
                break search
            case .block(item, _), .start(item, _): drop = index
            case .end(item, _):
                drop = index
                break search
            default: continue
            }
        }
        guard drop > 0 else { return }
        pieces.removeFirst(drop)
        cursor -= drop
        forgetOverlaps()
    }

    private func move(to index: Int, offset: Int) {
        (cursor, self.offset) = (index, offset)
        recount()
    }

    /// Keeps what can still be undone: the end of the former item is there.
    private func forgetOverlaps() {
        overlaps.removeAll { overlap in
            !pieces.contains { if case .end(overlap.from, _) = $0 { true } else { false } }
        }
    }

    private func recount() {
        framesAhead = -offset
        for piece in pieces[cursor...] {
            if case .block(_, let block) = piece { framesAhead += block.frameCount }
        }
        framesAhead = max(0, framesAhead)
    }

    // MARK: Crossfades

    /// Records that the crossfade of an item was decided.
    func noteCrossfadeDecided(for item: ItemID) { crossfadeDecidedFor = item }
    /// Lets crossfades be decided anew: other audio follows.
    func forgetCrossfadeDecision() { crossfadeDecidedFor = nil }

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
    func crossfade(from item: ItemID, frames: Int, gain: Float) {
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
        guard let mixed = Crossfade.mix(tail, into: head, frames: frames, gain: gain, at: start) else { return }
        let own = tail.map { FeedElement.block(item, $0) } + [pieces[last]]
        overlaps.append(Overlap(from: item, into: next.item, tail: own))
        pieces.replaceSubrange((last + 2)..<index, with: [.block(next.item, mixed)])
        pieces[last] = .end(item, position: end.position - Int64(frames))
        pieces.removeSubrange(first..<last)
        if cursor > first { cursor = first }
        recount()
    }

    /// Cuts the last `frames` frames before a piece off. Returns where they begin, and them.
    private func split(before end: Int, frames: Int) -> (first: Int, tail: [AudioBlock]) {
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
    func undoCrossfade(from item: ItemID) {
        guard let at = overlaps.firstIndex(where: { $0.from == item }) else { return }
        let overlap = overlaps.remove(at: at)
        guard let end = pieces.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return }
        pieces.replaceSubrange(end...end, with: overlap.tail)
        if cursor > end { cursor += overlap.tail.count - 1 }
    }
}
