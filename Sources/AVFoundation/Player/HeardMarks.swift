import PlaybackEngine

/// The event of the current item that playback has reached (for example its end), and the output frame of the next event (R-EOI-07).
struct HeardMarks {
    enum Mark: Hashable {
        /// The end of the item was heard, at the output frame `frame`.
        case end(frame: Int64)
        /// Audio of a following item is heard, but the end of the current item was not detected. This is so if the current item failed, or if the
        /// timeline no longer has the segment of the current item.
        case other(ItemID)
        /// All rendered audio has been heard, and the last heard frame was not the end of the item.
        case underrun
    }
    /// The event that playback has reached; nil if playback has reached no event.
    var reached: Mark?
    /// The output frame of the next possible event of the item; nil if no event can be predicted.
    var nextFrame: Int64?

    /// - Parameters:
    ///   - item: The current item of the player.
    ///   - floor: The first output frame after the last jump of the position. Earlier output frames belong to a position before the jump.
    ///   - heard: The output frame that is heard now.
    ///   - followers: The items that follow the current item without a gap. A follower may be heard before it is current.
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
        // If no audio of the item has been rendered, the item has not started, so silence is no stall.
    }
}
