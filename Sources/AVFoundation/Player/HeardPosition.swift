import CoreMedia
package import Platform
package import PlaybackEngine
import Synchronization

/// The heard position of a player's current item, which may be read on any thread without the lock of `Turn`. Only a turn of the player sets the
/// rule of the heard position (`Rule`).
///
/// The engine's clock knows which frame of which item is heard. The rule of the heard position names the current item. The rule also defines the
/// position that is reported while no valid frame of the current item is heard. No valid frame is heard before the item's first audio, after the
/// item's end, and while the device still plays audio of a former position.
package final class HeardPosition: Sendable {
    struct Rule: Sendable {
        /// The item whose position is reported. If the rule has no item, the reported position is `rest`.
        var item: ItemID?
        /// The reported position until output frame `floor` is heard.
        var rest: CMTime = .zero
        /// The time that the last seek asked for; nil if it is `rest`. The position of the frame that is nearest to it is reported as this time,
        /// whatever the sample rate of the output (R-SEEK-11).
        var asked: CMTime?
        var floor = Int64.min
        /// Whether the reported position stays at `rest`, whichever frame is heard: after the item's end, and after the audio service was reset.
        var isFixed = false
        /// The number of the newest seek that the player has processed. If the engine's timeline already contains the landing of a newer seek, the
        /// last reported position stays until the player has processed the newer seek (R-SEEK-11).
        var landedSeek: UInt64 = 0
        /// How the position advances without audio after the item's end (R-EOI-01): it was `rest` at the host time `since`, and advances at `rate`.
        /// Nil if the position does not advance without audio.
        var counting: (since: HostTime, rate: Double)?
        /// The number of the change that made this rule.
        fileprivate(set) var number: UInt64 = 0
        /// Whether the player's state has been published since the change that made this rule.
        fileprivate(set) var isPublished = false

        /// Returns the instant with the time that was asked for, if that is within half a frame of the instant's time, which is that of a frame.
        fileprivate func named(_ instant: PlaybackInstant) -> PlaybackInstant {
            let (time, asked) = (instant.time, asked ?? rest)
            guard time.isNumeric, asked.isNumeric else { return instant }
            let distance = Int128(time.value) * Int128(asked.timescale) - Int128(asked.value) * Int128(time.timescale)
            guard distance.magnitude * 2 <= Int128(asked.timescale).magnitude else { return instant }
            var named = instant
            named.time = asked
            return named
        }
    }
    private struct State {
        var rule = Rule()
        var clock: HeardClock?
        /// The last reported position of the current item; nil if no position was reported.
        var last: HeardTimeline.Live?

        /// Changes the rule, and discards the last reported position: a position that was reported by the former rule must not limit the positions of
        /// the new rule (`HeardTimeline.limited`).
        mutating func change(_ body: (inout Rule) -> Void) {
            let number = rule.number
            body(&rule)
            (rule.number, rule.isPublished) = (number + 1, false)
            last = nil
        }
    }
    private let state = Mutex(State())
    private let hostClock: any HostClock

    package init(hostClock: any HostClock) { self.hostClock = hostClock }

    func setRule(_ rule: Rule) { state.withLock { $0.change { $0 = rule } } }
    /// Stops the heard position at `rest`.
    func hold(at rest: CMTime) {
        state.withLock { $0.change { ($0.rest, $0.isFixed, $0.counting) = (rest, true, nil) } }
    }
    /// Lets the heard position advance without audio, from the rule's position `rest`: beginning at the host time `time`, at the rate `rate`.
    func count(since time: HostTime, rate: Double) {
        state.withLock { $0.change { $0.counting = (time, rate) } }
    }
    /// Records that the player's published state belongs to the present rule.
    package func noteStatePublished() { state.withLock { $0.rule.isPublished = true } }
    /// Sets the clock of the engine; nil if the engine does not run.
    func setClock(_ clock: HeardClock?) { state.withLock { $0.clock = clock } }

    /// Returns the current item's position that is heard now, as it is reported. The returned `rate` is 0 if the position does not advance.
    package func now() -> PlaybackInstant { publishedNow().instant }

    /// Returns the position of `now`, and whether it belongs to the player's published state. A position that the player has set by a jump or a new
    /// item belongs to the state that the player publishes next.
    package func publishedNow() -> (instant: PlaybackInstant, isPublished: Bool) {
        let time = hostClock.now
        let (rule, heard) = timeline(at: time)
        return (rule.named(reading(heard, rule, at: time)), rule.isPublished)
    }

    /// Returns a snapshot of the timeline of the current item; nil if the player has no item or no running engine.
    func timeline() -> HeardTimeline? { timeline(at: hostClock.now).heard }

    private func timeline(at time: HostTime) -> (rule: Rule, heard: HeardTimeline?) {
        let (rule, clock) = state.withLock { ($0.rule, $0.clock) }
        guard let item = rule.item, let clock else { return (rule, nil) }
        return (rule, HeardTimeline(clock.snapshot, of: item, by: rule, at: time))
    }

    /// Returns the current item's position that is heard at `time`, which is always that of a frame while audio is heard. Whether playback has reached
    /// a mark is decided by this position.
    package func reading(at time: HostTime) -> PlaybackInstant {
        let (rule, heard) = timeline(at: time)
        return reading(heard, rule, at: time)
    }

    private func reading(_ heard: HeardTimeline?, _ rule: Rule, at time: HostTime) -> PlaybackInstant {
        guard let heard else { return PlaybackInstant(hostTime: time, frame: 0, item: rule.item, time: rule.rest, rate: 0) }
        if let counting = rule.counting { return counted(counting, rule, at: time) }
        func resting(_ rest: CMTime) -> PlaybackInstant {
            PlaybackInstant(hostTime: time, frame: heard.instant.frame, item: heard.item, time: rest, rate: 0)
        }
        switch heard.position {
        case .live(let live): return report(live, heard, rule)
        case .resting(let rest): return resting(rest)
        case .unchanged: return resting(state.withLock { $0.last?.instant.time } ?? rule.rest)
        }
    }

    /// Returns a live position, limited by the last reported position (`HeardTimeline.limited`). The returned position becomes the last reported one.
    private func report(_ live: HeardTimeline.Live, _ heard: HeardTimeline, _ rule: Rule) -> PlaybackInstant {
        // A position at a future host time must not limit the positions of the present.
        let isPresent = live.instant.hostTime <= hostClock.now
        return state.withLock { state in
            // If another thread has replaced the rule since the position was computed, or has already reported a later position, no limit applies.
            guard state.rule.number == rule.number, state.last.map({ $0.instant.hostTime <= live.instant.hostTime }) ?? true else {
                return live.instant
            }
            let limited = state.last.map { heard.limited(live, by: $0) } ?? live
            if isPresent { state.last = limited }
            return limited.instant
        }
    }

    /// Returns the position of an item beyond its end, which advances without audio (`Rule.counting`).
    private func counted(_ counting: (since: HostTime, rate: Double), _ rule: Rule, at time: HostTime) -> PlaybackInstant {
        let timescale: CMTimeScale = rule.rest.timescale > 1 ? rule.rest.timescale : 44_100
        let elapsed = Int64((max(0, time - counting.since) * counting.rate * Double(timescale)).rounded(.down))
        let start = rule.rest.timescale == timescale ? rule.rest.value : rule.rest.value * Int64(timescale)
        return PlaybackInstant(
            hostTime: time, frame: 0, item: rule.item, time: CMTime(value: max(0, start + elapsed), timescale: timescale), rate: counting.rate)
    }
}
