import PlaybackEngine

/// The event that the heard output frame has reached in the current item, and the output frame of the next event (R-EOI-07).
struct HeardMarks {
    enum Mark: Hashable {
        /// The end of the item was heard, at the output frame `frame`.
        case end(frame: Int64)
        /// A following item is heard although the current item's end was not detected: the current item failed, or its segment of the timeline was
        /// already discarded.
        case other(ItemID)
        /// All rendered audio has been heard, and its last frame was not the end of the item.
        case underrun
    }
    /// The event that has been reached; nil if there is none.
    var reached: Mark?
    /// The output frame of the next possible event; nil if there is none.
    var nextFrame: Int64?

    /// - Parameters:
    ///   - item: The current item.
    ///   - floor: The first output frame of the present position. Earlier output frames belong to a former position.
    ///   - heard: The output frame that is heard now.
    ///   - followers: The items that follow the current one without a gap. They may be heard before they are current.
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
        // Otherwise no audio of the item has been rendered. The item has not started, so this is no stall.
    }
}
