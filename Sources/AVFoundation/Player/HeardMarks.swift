import PlaybackEngine

/// The event that the heard frame has reached in the current item, and the frame of the next one (R-EOI-07).
struct HeardMarks {
    enum Mark: Hashable {
        /// The item's end was heard, at this output frame.
        case end(frame: Int64)
        /// A joined item is heard although the current one did not reach its end: it failed, or its segment has already been discarded.
        case other(ItemID)
        /// Everything that was rendered has been heard, and it was not the end.
        case underrun
    }
    /// The event that has been reached.
    var reached: Mark?
    /// The output frame of the next possible event.
    var nextFrame: Int64?

    /// - Parameters:
    ///   - item: the current item.
    ///   - floor: output frames before this one belong to a previous position.
    ///   - heard: the output frame that is heard.
    ///   - followers: the items that may be heard before they are current: those joined to the current one.
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
            reached = .underrun
        }
        // Otherwise nothing of the item has been rendered: it has not started, so this is no stall.
    }
}
