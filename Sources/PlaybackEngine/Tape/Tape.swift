/// Decoded audio in the order of playback, with a write end for the feeder and a cursor: the frame that the engine renders next. The engine's thread
/// owns the tape, and shares only the write end.
///
/// Each order to the feeder has its own write end. An order that continues the present audio extends the tape by it, any other order begins the tape
/// anew; a replaced write end is no longer read. The audio of a seek waits in its write end until playback switches over to it.
///
/// Audio before the cursor is kept, because it has to be rendered again if the device returns its frames. In a crossfade, the end of an item and the
/// beginning of the next item become one mixed block of the next item.
final class Tape {
    enum Element: Sendable {
        /// The start of an item's audio. The first block of the item begins at `position`, in media frames; in reverse, the first block ends at
        /// `position`. In the first element of an order, `position` is the landing: the position that the reader reached.
        case start(ItemID, position: Int64)
        case block(ItemID, AudioBlock)
        /// The audio of the item continues without a gap at `position`, in media frames: after the turn of a loop (`isTurn`), or after audio was
        /// ordered again.
        case join(ItemID, position: Int64, isTurn: Bool)
        /// The end of an item's audio, in media frames. In forward playback, `position` is the frame after the last one that is played; in reverse
        /// playback, it is the last frame that is played.
        case end(ItemID, position: Int64)
        /// The item could not be read further. The elements before `broken` are valid.
        case broken(ItemID, PlaybackError)

        /// The item whose audio the element ends: by its end, or by the failure of its reader.
        var endedItem: ItemID? {
            switch self {
            case .end(let item, _), .broken(let item, _): item
            default: nil
            }
        }
        /// The number of frames; 0 unless the element is a block.
        var frameCount: Int { if case .block(_, let block) = self { block.frameCount } else { 0 } }
    }

    /// The write end of the newest audio; nil if no audio was ordered.
    private(set) var writeEnd: WriteEnd?
    /// The elements that the engine has taken from the write end.
    private var elements: [Element] = []
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
        var tail: [Element]
    }
    /// The item of which the engine has decided whether its end is crossfaded into the next item; nil if no decision was made.
    private(set) var crossfadeDecidedFor: ItemID?

    /// The element at the cursor, which is rendered next; nil if no element follows, or if it was not taken yet.
    var next: Element? { cursor < elements.count ? elements[cursor] : nil }
    /// The number of frames after the cursor, without those that wait in the write end.
    var framesAhead: Int { max(0, elements[cursor...].reduce(-offset) { $0 + $1.frameCount }) }

    /// Replaces all audio by that of another order; `writeEnd` is nil if no order was given.
    func begin(_ writeEnd: WriteEnd?) {
        removeAll()
        self.writeEnd = writeEnd
    }

    /// Replaces what waits in the write end by the audio of another order, which follows the audio that was taken.
    func extend(by writeEnd: WriteEnd) { self.writeEnd = writeEnd }

    /// Discards all elements that were taken. The decision whether to crossfade is discarded too, because it was made for the discarded audio.
    func removeAll() { (elements, cursor, offset, overlaps, crossfadeDecidedFor) = ([], 0, 0, [], nil) }

    /// Takes the next element from the write end. Returns nil if there is none; the feeder then wakes the engine after the next one.
    func take() -> Element? {
        guard let element = writeEnd?.take() else { return nil }
        elements.append(element)
        return element
    }

    /// Moves the cursor to the next element of the tape.
    func skip() { move(to: cursor + 1) }

    /// Moves the cursor by `count` frames, inside the block at the cursor or to the end of that block.
    func consume(_ count: Int) {
        offset += count
        if offset == elements[cursor].frameCount { skip() }
    }

    /// A position of the tape's cursor, which is valid until elements of the tape are discarded.
    struct Mark { var cursor: Int, offset: Int }
    var mark: Mark { Mark(cursor: cursor, offset: offset) }
    func restore(_ mark: Mark) { move(to: mark.cursor, offset: mark.offset) }

    /// Whether the end of an item is at the cursor or after it.
    var hasEndAhead: Bool { elements[cursor...].contains { if case .end = $0 { true } else { false } } }

    /// Moves the cursor to a media position of an item, in frames; for a position after the item's end, to the end. Returns false, with nothing
    /// changed, if the tape does not contain the item's audio from `position` on. Forward playback only. If `position` is the end of the tape's
    /// last block, the cursor moves to the tape's end, and the result is true.
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
                move(to: index)
                return true
            default: continue
            }
        }
        guard let following else { return false }
        move(to: following)
        return true
    }

    /// Moves the cursor to the element after an item's end.
    func move(afterEndOf item: ItemID) { if let end = indexOfEnd(of: item) { move(to: end + 1) } }

    private func indexOfEnd(of item: ItemID) -> Int? { elements.firstIndex { $0.endedItem == item } }

    /// Returns the item and the media position (in frames) from which the feeder has to read to continue the audio in the tape. Returns nil if the
    /// tape ends with an item's end or failure, or if it is empty.
    func continuation(isReverse: Bool) -> (item: ItemID, position: Int64)? {
        switch elements.last {
        case .block(let item, let block): (item, isReverse ? block.position : block.end)
        case .start(let item, let position), .join(let item, let position, _): (item, position)
        default: nil
        }
    }

    /// The item with whose end the tape ends, and the media position of the end in frames; nil if the tape ends with something else.
    var itemEnd: (item: ItemID, position: Int64)? {
        if case .end(let item, let position)? = elements.last { (item, position) } else { nil }
    }

    /// Discards the elements before the cursor.
    func trimToCursor() { removeFirst(cursor) }

    /// Discards elements before the cursor, and the overlaps that can no longer be undone, because the end of the former item is gone.
    private func removeFirst(_ count: Int) {
        elements.removeFirst(count)
        cursor -= count
        overlaps.removeAll { indexOfEnd(of: $0.from) == nil }
    }

    /// Moves the cursor to the element after the start of an item, so that the item's first audio is rendered next. Returns the media position of the
    /// item's start, in frames; nil if the tape does not contain the start.
    func move(toStartOf item: ItemID) -> Int64? {
        for case (let index, .start(item, let position)) in elements.enumerated() {
            move(to: index + 1)
            return position
        }
        return nil
    }

    /// Removes the elements after the end of an item, and forgets the decision whether to crossfade. Returns whether some of the removed audio was
    /// already rendered, so that it has to be withdrawn from the device.
    func truncate(after item: ItemID) -> Bool {
        crossfadeDecidedFor = nil
        undoCrossfade(from: item)
        guard let end = indexOfEnd(of: item) else { return false }
        let wasAfterEnd = cursor > end + 1 || (cursor == end + 1 && offset > 0)
        elements.removeSubrange((end + 1)...)
        if cursor > elements.count { move(to: elements.count) }
        return wasAfterEnd
    }

    /// Discards the elements before a media position (in frames) of an item, because they have been heard.
    ///
    /// - Parameter joinsAhead: the number of joins (turns of a loop) between that position and the cursor.
    func trim(before item: ItemID, position: Int64, joinsAhead: Int = 0) {
        let first = indicesOfJoins.dropFirst(joinsAhead).first ?? 0
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
        if drop > 0 { removeFirst(drop) }
    }

    /// The joins before the cursor, the last one first.
    private var indicesOfJoins: [Int] { (0..<cursor).reversed().filter { if case .join = elements[$0] { true } else { false } } }

    // MARK: Loops

    /// The result of `cut`: the end of the audio that the tape keeps of an item.
    enum Cut: Equatable {
        /// The kept audio ends with the end of the loop.
        case atLoopEnd
        /// The kept audio ends inside the item, at the media frame `position`. The feeder must read the item from this position on.
        case open(position: Int64)
        /// The kept audio contains the end of the item, and the new loop does not end before it. Nothing has to be read again.
        case complete
    }

    /// Discards the audio that is invalid with another loop of an item: audio after a turn of the former loop, or after the end of the new one.
    ///
    /// The audio from the last turn before the cursor up to the cursor is kept, because the device may return it. Returns nil if the tape has no
    /// audio of the item.
    ///
    /// - Parameter end: the end of the new loop, in media frames; nil if the item no longer repeats.
    func cut(_ item: ItemID, atLoopEnd end: Int64?) -> Cut? {
        undoCrossfade(from: item)
        if let turn = indicesOfJoins.first { removeFirst(turn + 1) }
        search: for index in cursor..<elements.count {
            switch elements[index] {
            case .join:
                elements.removeSubrange(index...)
                break search
            case .block(item, let block):
                let position = block.position + Int64(index == cursor ? offset : 0)
                guard let end, position < end, end <= block.end else { continue }
                if end < block.end { elements[index] = .block(item, block.split(at: Int(end - block.position)).0) }
                elements.removeSubrange((index + 1)...)
                return .atLoopEnd
            case .end(item, _): return .complete
            default: continue
            }
        }
        guard let rest = continuation(isReverse: false), rest.item == item else { return nil }
        return rest.position == end ? .atLoopEnd : .open(position: rest.position)
    }

    private func move(to index: Int, offset: Int = 0) { (cursor, self.offset) = (index, offset) }

    // MARK: Crossfades

    /// The end of an item in the tape, and the known audio of the next item.
    struct End {
        var index: Int
        var position: Int64
        /// The number of the item's frames between the tape's cursor and the item's end.
        var framesBefore: Int
        var next: (item: ItemID, frames: Int, hasEnd: Bool)?
    }

    /// Returns the end of an item, if the end is at the cursor or after it; nil if the tape does not contain the end.
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

    /// Decides how an item is crossfaded: mixes its last `frames` frames with the first `frames` frames of the next item. The last frames of the item
    /// must all follow the cursor. Mixes nothing for 0 frames, or if one of the two items has fewer frames in the tape.
    ///
    /// - Parameter gain: the factor for the audio of the former item. The factor preserves the loudness of the former item, although the mix is
    ///   rendered as a part of the next item.
    func crossfade(from item: ItemID, frames: Int, gain: Float) {
        crossfadeDecidedFor = item
        guard frames > 0, let end = end(of: item), frames <= end.framesBefore, let next = end.next, frames <= next.frames,
            case .start(_, let start) = elements[end.index + 1]
        else { return }
        let (first, tail) = split(before: end.index, frames: frames)
        let last = elements[first...].firstIndex { $0.endedItem == item } ?? first
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
        let own = tail.map { Element.block(item, $0) } + [elements[last]]
        overlaps.append(Overlap(from: item, into: next.item, tail: own))
        elements.replaceSubrange((last + 2)..<index, with: [.block(next.item, mixed)])
        elements[last] = .end(item, position: end.position - Int64(frames))
        elements.removeSubrange(first..<last)
        if cursor > first { cursor = first }
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
        guard let end = indexOfEnd(of: item) else { return }
        elements.replaceSubrange(end...end, with: overlap.tail)
        if cursor > end { cursor += overlap.tail.count - 1 }
    }
}
