import PlaybackEngine

/// What the ear has come to in the current item, and what it comes to next: a look-up in the timeline (R-EOI-07).
struct HeardWatch {
    enum Mark: Hashable {
        /// The item's end was heard at this frame.
        case end(frame: Int64)
        /// Sound of an item that was joined is heard although ours did not reach its end: it broke, or its stretch is forgotten already.
        case other(ItemID)
        /// Everything that was rendered has been heard, and it was not the end.
        case dry
    }
    /// What has been reached.
    var reached: Mark?
    /// The next output frame at which something may be reached.
    var nextFrame: Int64?

    /// - Parameters:
    ///   - item: the current item.
    ///   - floor: sound before this output frame is of a former position.
    ///   - heard: the output frame heard.
    ///   - followers: the items that may be heard without having been made current: those joined to the current one.
    init(_ timeline: Timeline, item: ItemID, floor: Int64, heard: Int64, followers: [ItemID]) {
        let own = timeline.segments.filter { $0.item == item && ($0.end ?? Int64.max) >= floor }
        if let ending = own.last, ending.reachesEndOfItem, let end = ending.end {
            if heard >= end {
                reached = .end(frame: end)
            } else {
                nextFrame = end
            }
            return
        }
        if let segment = timeline.segment(at: heard), segment.item != item, followers.contains(segment.item) {
            reached = .other(segment.item)
            return
        }
        guard let last = own.last else { return }
        if let end = last.end, heard < end {
            nextFrame = end
            return
        }
        if heard < timeline.written {
            nextFrame = timeline.written
        } else if timeline.written > last.start {
            reached = .dry
        }
        // Else nothing of it has been rendered: it has not begun, which is no stall.
    }
}
