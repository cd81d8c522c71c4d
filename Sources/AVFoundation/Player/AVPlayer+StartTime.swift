package import Platform
import PlaybackEngine

extension AVPlayer {
    /// The minimum notice for `start(rate:at:)`, in seconds: the function has to be called at least this long before the host time at which audio
    /// starts.
    package static var startNotice: Double { StartTime.lead + 0.1 }

    /// Requests a rate for a given host time: the frame at the present position is heard at that time, as measured by the clock of the device.
    ///
    /// Until the host time, the device plays silence. A pause or a seek before the host time ends the wait. If the host time is less than
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
            // The rate is sent before the engine renders the silence, because after a change of the rate the engine renders all audio again.
            configure { $0.rate = machine.rate }
            engine.post(.awaitStart(host))
            apply(.letGo)
            sync.meet(by: environment.scheduler.schedule(at: host + -StartTime.measuringTime) { [weak self] in self?.engine.post(.meetStart) })
        }
    }
}
