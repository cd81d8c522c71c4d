package import Platform
import PlaybackEngine

extension AVPlayer {
    /// The time before a start at a host time at which `start` has to be called, in seconds.
    package static var startNotice: Double { StartTime.lead + 0.1 }

    /// Requests a rate, so that the frame at the present position is heard at a host time, exact to the device's own clock.
    ///
    /// The device plays silence until then. A pause or a seek before that time ends the waiting. If the time is less than
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
            // The engine needs the rate before the silence, because a new rate renders audio again.
            configure { $0.rate = machine.rate }
            engine.post(.awaitStart(host))
            apply(.letGo)
            sync.meet(by: environment.scheduler.schedule(at: host + -StartTime.measuringTime) { [weak self] in self?.engine.post(.meetStart) })
        }
    }
}
