package import CoreMedia
package import PlaybackEngine
import Synchronization

/// The heard position of a player's current item. Any thread. The main actor sets the rule.
///
/// The engine's clock knows which frame of which item is heard. The rule names the current item, and defines the position if another frame is heard:
/// before the item's first audio, while audio of a previous position is still in the device, and at the end.
package final class HeardPosition: Sendable {
    package struct Rule: Sendable {
        /// The item whose position is reported. Without an item the position is `rest`.
        package var item: ItemID?
        /// The position until output frame `floor` is heard.
        package var rest: CMTime = .zero
        package var floor = Int64.min
        /// Whether the position stays at `rest` whatever is heard, because the end has been reached.
        package var isHeld = false
        /// The newest seek that the player has processed. If the timeline already has a newer landing, the last position is reported until the player
        /// has processed that (R-SEEK-11).
        package var landedSeek: UInt64 = 0
        /// If set, time advances from `rest` without audio, since this host time and at this rate (R-EOI-01).
        package var counting: (since: HostTime, rate: Double)?
    }
    private struct State {
        var rule = Rule()
        var clock: PlaybackClock?
        /// The last position of the current item that was reported.
        var last: PlaybackInstant?
    }
    private let state = Mutex(State())
    private let hostClock: any HostClock

    package init(hostClock: any HostClock) { self.hostClock = hostClock }

    package var rule: Rule { state.withLock { $0.rule } }
    func setRule(_ rule: Rule) {
        state.withLock { state in
            state.rule = rule
            state.last = nil
        }
    }
    func setClock(_ clock: PlaybackClock?) { state.withLock { $0.clock = clock } }

    /// Returns the heard position of the current item now. `rate` is 0 if time does not advance.
    package func now() -> PlaybackInstant { reading(at: hostClock.now) }

    package func reading(at time: HostTime) -> PlaybackInstant {
        let (rule, clock) = state.withLock { ($0.rule, $0.clock) }
        func resting(_ rest: CMTime, frame: Int64) -> PlaybackInstant {
            PlaybackInstant(hostTime: time, frame: frame, item: rule.item, time: rest, rate: 0)
        }
        guard let item = rule.item, let clock else { return resting(rule.rest, frame: 0) }
        if let counting = rule.counting {
            let timescale: CMTimeScale = rule.rest.timescale > 1 ? rule.rest.timescale : 44_100
            let elapsed = Int64((max(0, time - counting.since) * counting.rate * Double(timescale)).rounded(.down))
            let start = rule.rest.timescale == timescale ? rule.rest.value : rule.rest.value * Int64(timescale)
            return PlaybackInstant(
                hostTime: time, frame: 0, item: item, time: CMTime(value: max(0, start + elapsed), timescale: timescale), rate: counting.rate)
        }
        let instant = clock.reading(at: time)
        if instant.item == item, clock.timeline.landedSeek > rule.landedSeek {
            return resting(state.withLock { $0.last?.time } ?? rule.rest, frame: instant.frame)
        }
        if rule.isHeld || instant.frame < rule.floor { return resting(rule.rest, frame: instant.frame) }
        if instant.item == item {
            state.withLock { $0.last = instant }
            return instant
        }
        // Another item is already heard, or nothing yet. If the item's end has been heard, the position is its end.
        let timeline = clock.timeline
        guard let last = timeline.segments.last(where: { $0.item == item && $0.start <= instant.frame }), let end = last.end, end >= rule.floor else {
            return resting(rule.rest, frame: instant.frame)
        }
        return resting(timeline.time(ofMediaFrame: last.mediaFrame(at: end)), frame: instant.frame)
    }
}
