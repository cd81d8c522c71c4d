public import CoreMedia
import Platform
import PlaybackEngine

extension AVPlayer {
    /// Sets the player's rate and position together, so that the item reaches `itemTime` at a time of the host clock (`CMClock.hostTimeClock`)
    /// (R-SYNC-02).
    ///
    /// - Parameters:
    ///   - rate: The requested rate, as in the property `rate`.
    ///   - itemTime: The position of the item at `hostTime`. If `itemTime` is not numeric, the current position is used.
    ///   - hostTime: The time of the host clock for `itemTime`. If `hostTime` is in the past, the item seeks to the position that it would have
    ///     reached by now. If `hostTime` is in the future, the item seeks to `itemTime` and waits there until `hostTime`. If `hostTime` is not
    ///     numeric, rate and position change together, without synchronization.
    ///
    /// The known latency of the device is compensated. If the audio is heard more than 5 ms early or late, the position is corrected by a seek, at
    /// most eight times. Synchronization requires that `automaticallyWaitsToMinimizeStalling` is false (R-SYNC-01).
    public func setRate(_ rate: Float, time itemTime: CMTime, atHostTime hostTime: CMTime) {
        demandMainQueue()
        demand(!machine.waitsAutomatically, "R-SYNC-01: a synchronized start needs automaticallyWaitsToMinimizeStalling to be off")
        MainTurn.perform {
            catchUp()
            sync.cancel()
            let now = environment.clock.now
            let asked = itemTime.isNumeric ? itemTime : currentTime()
            guard rate != 0, rate.isFinite, let host = HostTime(hostTime), let item = playingItem else {
                // The seek begins before the rate is set, so that no audio of the former position is heard at the new rate.
                if itemTime.isNumeric, playingItem != nil { begin(itemTime, .zero, .zero, nil) }
                self.rate = rate
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
                    for: environment.scheduler.schedule(at: host + -latency) { [weak self] in
                        guard let self else { return }
                        MainTurn.perform {
                            self.catchUp()
                            self.apply(.letGo)
                        }
                    })
            } else {
                begin(time(goal.seconds(at: now)), .zero, .zero, nil)
                self.rate = rate
                if machine.rate != 0 { sync.begin(goal) }
            }
        }
    }

    /// Corrects the position by a seek if playback is not synchronous with the host clock as requested.
    func alignWithHostTime() {
        guard let item = playingItem, machine.isFlowing, !machine.isPastEnd, seeks.pending == nil, engine.clock?.isRunning == true else { return }
        if item.settings.loop != nil { return sync.cancel() }
        if let goal = sync.goal, goal.item != item.engineID || goal.rate != machine.rate { return sync.cancel() }
        guard let motion = motion(), motion.rate != 0 else { return }
        let correction = sync.correction(at: motion.time.seconds, motion.hostTime, now: environment.clock.now) { time in
            environment.scheduler.schedule(at: time) { [weak self] in
                guard let self else { return }
                MainTurn.perform {
                    self.catchUp()
                    self.alignWithHostTime()
                }
            }
        }
        guard let seconds = correction else { return }
        let target = time(seconds)
        guard item.canSeek(to: target) else { return sync.cancel() }
        sync.correct { begin(target, .zero, .zero, nil) }
    }

    private func time(_ seconds: Double) -> CMTime {
        CMTime(seconds: max(0, seconds), preferredTimescale: CMTimeScale(clamping: playingItem?.mediaInfo?.format.sampleRate ?? 1_000_000))
    }
}

extension HostTime {
    /// Converts a `CMTime` to a host time; nil if the time is not numeric, or if the magnitude of the time is at least 2⁶² ns.
    init?(_ time: CMTime) {
        guard time.isNumeric else { return nil }
        let nanoseconds = CMTimeConvertScale(time, timescale: 1_000_000_000, method: .default)
        guard nanoseconds.isNumeric, abs(nanoseconds.value) < 1 << 62 else { return nil }
        self.init(nanoseconds: nanoseconds.value)
    }
}

/// A clock with which playback can be synchronized. The only object of this type is the host clock.
public final class CMClock: Sendable {
    /// The machine's monotonic clock, to which the times of `AVPlayer.setRate(_:time:atHostTime:)` refer.
    public static let hostTimeClock = CMClock()
    /// The current time of the host clock, at a timescale of nanoseconds.
    public var time: CMTime { CMTime(value: MonotonicClock().now.nanoseconds, timescale: 1_000_000_000) }
}

/// Apple's function for `CMClock.hostTimeClock`.
public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
/// Apple's function for `CMClock.time`.
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }
