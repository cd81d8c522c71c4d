import Platform
import PlaybackEngine

/// The event that playback has reached, for example the item's end, and the output frame at which the next event is expected (R-EOI-07).
struct HeardMarks {
    enum Mark: Hashable {
        /// The end of the item, at this output frame.
        case end(frame: Int64)
        /// Audio of a following item is heard without a detected end: the current item failed, or its segment is no longer in the timeline.
        case other(ItemID)
        /// All rendered audio was heard, but not the item's end.
        case underrun
    }
    var reached: Mark?
    /// The output frame of the next event; nil if no event can be predicted.
    var nextFrame: Int64?

    /// - Parameters:
    ///   - floor: The first output frame after the last jump of the position.
    ///   - heard: The output frame that is heard now.
    ///   - followers: The items that follow without a gap; one may be heard before it is current.
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
        // Without rendered audio the item has not started, so silence is no stall.
    }
}

/// The timer for the next mark: the host time at which the heard position reaches the time of an observer, the end of an item, or the end of the
/// rendered audio.
@Turn final class MarkTimer {
    private nonisolated let environment: PlaybackEnvironment
    private var timer: TurnTimer?
    private var isProcessing = false

    nonisolated init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Calls `body` at `mark`, but not earlier than 0.5 ms from now. A past mark is possible, because the device can be slightly later
    /// than its forecast.
    func schedule(at mark: HostTime, for owner: AVPlayer, _ body: @escaping @Turn @Sendable () -> Void) {
        cancel()
        let earliest = environment.clock.now + 0.0005
        timer = TurnTimer.start(at: max(mark, earliest), in: environment, for: owner, body)
    }

    func cancel() {
        timer?.cancel()
        timer = nil
    }

    /// Runs `body`; has no effect if it is called inside `body`.
    func process(_ body: () -> Void) {
        guard !isProcessing else { return }
        isProcessing = true
        body()
        isProcessing = false
    }
}
