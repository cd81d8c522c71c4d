package import Platform
import PlaybackEngine

extension AVPlayer {
    /// How long before its host time a start has to be requested, in seconds.
    package static var startNotice: Double { StartTime.lead + 0.1 }

    /// The frame at the present position is heard at that time by the device's clock, after silence. A pause or a seek ends the wait. Less than
    /// `StartTime.shortestNotice` ahead, playback starts at once.
    package func start(rate: Double, at host: HostTime) {
        MainTurn.perform {
            catchUp()
            sync.cancel()
            let now = environment.clock.now
            guard rate > 0, host - now >= StartTime.shortestNotice else { return apply(.rateRequested(rate)) }
            apply(.heldRateRequested(rate))
            guard machine.isHeldBack else { return }
            sync.wait(
                for: environment.scheduler.schedule(at: max(now, host + -StartTime.lead)) { [weak self] in self?.startDevice(for: host) })
        }
    }

    private func startDevice(for host: HostTime) {
        MainTurn.perform {
            catchUp()
            // Before the silence, because after a change of the rate all audio is rendered again.
            configure { $0.rate = machine.rate }
            engine.post(.awaitStart(host))
            apply(.letGo)
            sync.meet(by: environment.scheduler.schedule(at: host + -StartTime.measuringTime) { [weak self] in self?.engine.post(.meetStart) })
        }
    }
}
