import CPulse
import PlaybackEngine

/// Events of the server, on the mainloop's thread under the lock.
extension PulseStream {
    /// Handles the creation or the loss of the stream.
    func stateChanged() {
        mainloop.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(mainloop.lastError("The PulseAudio stream failed."))
    }

    /// Handles the loss of the connection or the stream. Reported once, and only if the stream was open; otherwise `connect` throws.
    func fail(_ error: PlaybackError) {
        guard failure == nil else { return }
        failure = error
        cancelDryTimer()
        tracker.freeze(now: clock.now)
        cell.store(tracker.playhead)
        mainloop.notifyWaiter()
        if isOpen { events?(.lost(error)) }
    }

    /// The server has read all frames that it had. There may be further frames in transit to it.
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

    /// The stream was moved to another device.
    func moved() {
        tracker.renew()
        rewinding = Rewinding()
        // The stored name is used, because after two moves in a row the device of the first may not have been looked up yet.
        let former = deviceName
        deviceName = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
        // If the new device is not suspended, libpulse reports only the move.
        if wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        lookUpDevice { [unowned self] in
            deviceChanged?(device)
            // Either the stream was moved by a user, or its device was removed. If it was removed, the server does not know it any more.
            devices.lookUp(former) { [unowned self] found in events?(.changed(device.output, wasRemoved: found == nil)) }
        }
        if isStarted { try? ask(.track) }
    }

    /// The device was suspended or resumed.
    func suspended() {
        let isSuspended = pa_stream_is_suspended(stream) == 1
        if !isSuspended, wasSuspended {
            wasSuspended = false
            events?(.signal(.suspended(false)))
        }
        guard isStarted else { return }
        if isSuspended {
            tracker.freeze(now: clock.now)
            cell.store(tracker.playhead)
            // An idle device is suspended automatically, and that event may cross our start. The server replies to this look-up after our start: if
            // the device is suspended even then, another party suspended it.
            lookUpDevice { [unowned self] in
                guard isStarted, device.isSuspended, !wasSuspended else { return }
                wasSuspended = true
                events?(.signal(.suspended(true)))
            }
        } else {
            try? ask(.track)
        }
    }

    /// The server sent a request to the stream.
    func asked(_ name: String) { events?(.signal(.event(name))) }

    func lookUpDevice(then: @escaping () -> Void) {
        let name = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
        devices.lookUp(name) { [unowned self] found in
            device = found ?? PulseDevice(name: name, description: name)
            then()
        }
    }

    /// The server replied to a command without data.
    func commandAnswered(isDone: Bool) {
        if !isDone { commandFailed = true }
    }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector) }
}
