public import CoreMedia
package import Platform
import PlaybackEngine

extension AVPlayer {
    @Turn func beginSynced(_ rate: Float, at itemTime: CMTime, _ hostTime: CMTime) {
        demand(!machine.waitsAutomatically, "R-SYNC-01: a synchronized start needs automaticallyWaitsToMinimizeStalling to be off")
        catchUp()
        sync.cancel()
        let now = environment.clock.now
        let asked = itemTime.isNumeric ? itemTime : heardTime
        guard rate != 0, rate.isFinite, let host = HostTime(hostTime), let item = playingItem else {
            // The seek comes before the rate, so that nothing of the former position is heard at the new rate.
            if itemTime.isNumeric, playingItem != nil { begin(itemTime, .zero, .zero, nil) }
            request(rate)
            return
        }
        let goal = SyncedStart.Goal(item: item.engineID, time: asked, host: host, rate: Double(rate))
        if host > now {
            if itemTime.isNumeric { begin(itemTime, .zero, .zero, nil) }
            apply(.heldRateRequested(Double(rate)))
            guard machine.isHeldBack else { return }
            sync.begin(goal)
            let latency = sync.startLatency
            sync.wait(
                for: TurnTimer.start(at: host + -latency, in: environment, for: self) { [weak self] in
                    self?.catchUp()
                    self?.apply(.letGo)
                })
        } else {
            begin(time(goal.seconds(at: now)), .zero, .zero, nil)
            request(rate)
            if machine.rate != 0 { sync.begin(goal) }
        }
    }

    /// Corrects the position by a seek, if playback is not synchronous as requested.
    @Turn func alignWithHostTime() {
        guard let item = playingItem, machine.isFlowing, !machine.isPastEnd, seeks.pending == nil, engine.clock?.isRunning == true else { return }
        if item.settings.loop != nil { return sync.cancel() }
        if let goal = sync.goal, goal.item != item.engineID || goal.rate != machine.rate { return sync.cancel() }
        guard let motion = presentMotion, motion.rate != 0 else { return }
        let correction = sync.correction(at: motion.time.seconds, motion.hostTime, now: environment.clock.now) { time in
            TurnTimer.start(at: time, in: environment, for: self) { [weak self] in
                self?.catchUp()
                self?.alignWithHostTime()
            }
        }
        guard let seconds = correction else { return }
        let target = time(seconds)
        guard item.canSeek(to: target) else { return sync.cancel() }
        sync.correct { begin(target, .zero, .zero, nil) }
    }

    @Turn private func time(_ seconds: Double) -> CMTime {
        CMTime(seconds: max(0, seconds), preferredTimescale: CMTimeScale(clamping: playingItem?.mediaInfo?.format.sampleRate ?? 1_000_000))
    }
}

extension HostTime {
    /// Converts a time of `CMClock.hostTimeClock`; nil if it is not numeric, or at least 2⁶² ns.
    init?(_ time: CMTime) {
        guard time.isNumeric else { return nil }
        let nanoseconds = CMTimeConvertScale(time, timescale: 1_000_000_000, method: .default)
        guard nanoseconds.isNumeric, abs(nanoseconds.value) < 1 << 62 else { return nil }
        self.init(nanoseconds: nanoseconds.value)
    }
}

/// A clock with which playback can be synchronized: only the host clock.
public final class CMClock: Sendable {
    /// The monotonic clock, to which `AVPlayer.setRate(_:time:atHostTime:)` refers.
    public static let hostTimeClock = CMClock()
    /// The present time, in nanoseconds.
    public var time: CMTime { CMTime(value: MonotonicClock().now.nanoseconds, timescale: 1_000_000_000) }
}

public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

extension AVPlayer {
    /// How long before `host` a synchronized start (`start(rate:at:)`) has to be requested, in seconds.
    package nonisolated static var startNotice: Double { StartTime.lead + 0.1 }

    /// Starts playback, after silence, so that the frame at the present position is heard at `host` by the device's clock. A pause or a seek cancels
    /// the start. If `host` is less than `StartTime.shortestNotice` ahead, playback starts at once.
    package nonisolated func start(rate: Double, at host: HostTime) {
        turn {
            catchUp()
            sync.cancel()
            let now = environment.clock.now
            guard rate > 0, host - now >= StartTime.shortestNotice else { return apply(.rateRequested(rate)) }
            apply(.heldRateRequested(rate))
            guard machine.isHeldBack else { return }
            sync.wait(
                for: TurnTimer.start(at: max(now, host + -StartTime.lead), in: environment, for: self) { [weak self] in
                    self?.startDevice(for: host)
                })
        }
    }

    @Turn private func startDevice(for host: HostTime) {
        catchUp()
        // The rate is set before the silence, because after a change of the rate all audio is rendered again.
        configure { $0.rate = machine.rate }
        engine.post(.awaitStart(host))
        apply(.letGo)
        sync.meet(
            by: TurnTimer.start(at: host + -StartTime.measuringTime, in: environment, for: self) { [weak self] in self?.engine.post(.meetStart) })
    }
}
