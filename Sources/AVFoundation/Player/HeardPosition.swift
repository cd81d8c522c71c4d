package import CoreMedia
package import PlaybackEngine
import Synchronization

/// The position of a player's current item as it is heard, readable from any thread without visiting the main actor, which writes the rule.
///
/// The engine's clock knows what is heard; the rule says which item that has to be of, and what holds where it is not (before its first sound,
/// while the tail of a former position is still in the device, at the end).
package final class HeardPosition: Sendable {
    package struct Rule: Sendable {
        /// The item whose position is told; none is time zero.
        package var item: ItemID?
        /// Where it rests until sound from output frame `floor` on is heard.
        package var rest: CMTime = .zero
        package var floor = Int64.min
        /// It rests there whatever is heard: the end has been reached.
        package var isHeld = false
        /// The newest seek that the player has heard of: where the engine has landed a newer one, the position waits for that news (R-SEEK-11).
        package var landedSeek: UInt64 = 0
        /// Time counts on from `rest` in silence since then, at this rate (R-EOI-01).
        package var counting: (since: HostTime, rate: Double)?
    }
    private struct State {
        var rule = Rule()
        var clock: PlaybackClock?
        /// What was told last of the current item.
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

    /// What is heard of the current item now. `rate` is 0 while nothing moves.
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
        // Another item is heard already, or nothing yet: at the end of ours where it has been heard.
        let timeline = clock.timeline
        guard let last = timeline.segments.last(where: { $0.item == item && $0.start <= instant.frame }), let end = last.end, end >= rule.floor else {
            return resting(rule.rest, frame: instant.frame)
        }
        return resting(timeline.time(ofMediaFrame: last.mediaFrame(at: end)), frame: instant.frame)
    }
}
