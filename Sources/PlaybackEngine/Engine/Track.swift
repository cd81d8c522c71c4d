/// The stretch of decoded sound around the place where the engine renders: what lies ahead, and what has been rendered but may have to be rendered
/// again because the device has not taken it.
struct Track {
    /// In the order in which it is heard.
    var pieces: [FeedElement] = []
    /// The piece to be rendered next, and how many frames of it (where it is a block) have been.
    var cursor = 0
    var offset = 0
    /// Where two items overlap, with what they were before.
    var overlaps: [Overlap] = []
    struct Overlap {
        var from: ItemID
        var into: ItemID
        /// The former item's own end.
        var tail: [FeedElement]
    }
    /// Frames ahead of the cursor.
    private(set) var framesAhead = 0

    /// The piece at the cursor, nil where nothing is ahead.
    var next: FeedElement? { cursor < pieces.count ? pieces[cursor] : nil }

    mutating func append(_ piece: FeedElement) {
        pieces.append(piece)
        if case .block(_, let block) = piece { framesAhead += block.frameCount }
    }

    mutating func removeAll() { self = Track() }

    /// Moves past the piece at the cursor.
    mutating func skip() {
        if case .block(_, let block) = pieces[cursor] { framesAhead -= block.frameCount - offset }
        cursor += 1
        offset = 0
    }

    /// Moves `count` frames on inside the block at the cursor.
    mutating func consume(_ count: Int) {
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
    mutating func restore(_ mark: Mark) { move(to: mark.cursor, offset: mark.offset) }

    /// Whether an item's end lies at or ahead of the cursor.
    var hasEndAhead: Bool { pieces[cursor...].contains { if case .end = $0 { true } else { false } } }

    /// Puts the cursor on a media position of an item, or at the item's end where the position lies behind it. False, and nothing changes, where no
    /// sound of the item is kept from that position on.
    mutating func rewind(to item: ItemID, position: Int64) -> Bool {
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
    mutating func move(behindEndOf item: ItemID) {
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
    mutating func trimToCursor() {
        pieces.removeFirst(cursor)
        cursor = 0
        forgetOverlaps()
    }

    /// Puts the cursor behind the start of an item, so that its sound is next. False where that start is not kept.
    mutating func move(toStartOf item: ItemID) -> Int64? {
        for (index, piece) in pieces.enumerated() {
            if case .start(item, let position) = piece {
                move(to: index + 1, offset: 0)
                return position
            }
        }
        return nil
    }

    /// Removes what follows the end of an item. True where the cursor was behind it: that much has been rendered and must be withdrawn.
    mutating func truncate(after item: ItemID) -> Bool {
        undoCrossfade(from: item)
        guard let end = pieces.firstIndex(where: { if case .end(item, _) = $0 { true } else { false } }) else { return false }
        let wasBehind = cursor > end + 1 || (cursor == end + 1 && offset > 0)
        pieces.removeSubrange((end + 1)...)
        if cursor > pieces.count { (cursor, offset) = (pieces.count, 0) }
        recount()
        return wasBehind
    }

    /// Forgets what lies before a media position of an item: it has been heard.
    mutating func trim(before item: ItemID, position: Int64) {
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

    private mutating func move(to index: Int, offset: Int) {
        (cursor, self.offset) = (index, offset)
        recount()
    }

    /// Keeps what can still be undone: the end of the former item is there.
    private mutating func forgetOverlaps() {
        overlaps.removeAll { overlap in
            !pieces.contains { if case .end(overlap.from, _) = $0 { true } else { false } }
        }
    }

    mutating func recount() {
        framesAhead = -offset
        for piece in pieces[cursor...] {
            if case .block(_, let block) = piece { framesAhead += block.frameCount }
        }
        framesAhead = max(0, framesAhead)
    }
}
