import CPulse
import PlaybackEngine

/// What the server tells, on the mainloop's thread under the lock.
extension PulseStream {
    /// The stream came up, or is gone.
    func stateChanged() {
        mainloop.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(mainloop.lastError("The PulseAudio stream is lost."))
    }

    /// The connection or the stream is gone: told once, unless it never stood (then `connect` throws).
    func fail(_ error: PlaybackError) {
        guard failure == nil else { return }
        failure = error
        cancelDryTimer()
        tracker.freeze(now: clock.now)
        cell.store(tracker.playhead)
        mainloop.notifyWaiter()
        if isOpen { events?(.lost(error)) }
    }

    /// The server has read all there was. Frames that are on their way to it are not among those.
    func underflowed() {
        guard isStarted else { return }
        let index = pa_stream_get_underflow_index(stream)
        let frame = index < 0 ? writtenFrames : base + index / Int64(bytesPerFrame)
        if let probedFrame, frame <= probedFrame {
            self.probedFrame = nil
            return
        }
        runDry(at: min(frame, writtenFrames))
        events?(.underflow)
    }

    /// The stream plays on another device now.
    func moved() {
        tracker.renew()
        rewinding = Rewinding()
        lookUpDevice { [unowned self] in
            deviceChanged?(device)
            events?(.changed(device.output))
        }
        if isStarted { try? ask(.track) }
    }

    /// The device sleeps, or is awake again.
    func suspended() {
        guard isStarted else { return }
        if pa_stream_is_suspended(stream) == 1 {
            tracker.freeze(now: clock.now)
            cell.store(tracker.playhead)
        } else {
            try? ask(.track)
        }
    }

    func lookUpDevice(then: @escaping () -> Void) {
        let name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
        devices.lookUp(name) { [unowned self] found in
            device = found ?? PulseDevice(name: name, description: name)
            then()
        }
    }

    /// The server answered a command that carries no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { commandFailed = true }
    }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description) }
}
