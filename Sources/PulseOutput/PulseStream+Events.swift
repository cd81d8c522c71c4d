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
        // The name of now: of two moves in a row, the second has not seen what is looked up for the first.
        let former = deviceName
        deviceName = pa_stream_get_device_name(stream).map { String(cString: $0) } ?? ""
        // Of a device that does not sleep, libpulse tells only that it is another one.
        if wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        lookUpDevice { [unowned self] in
            deviceChanged?(device)
            // Somebody moved it, or it had to go: the server that moves a stream because of that has no such device any more.
            devices.lookUp(former) { [unowned self] found in events?(.changed(device.output, wasRemoved: found == nil)) }
        }
        if isStarted { try? ask(.track) }
    }

    /// The device sleeps, or is awake again.
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
            // A device without anything to do goes to sleep by itself, and what was told of that may meet our start on its way. The server answers
            // behind our start: a device that sleeps even then was put to sleep by somebody.
            lookUpDevice { [unowned self] in
                guard isStarted, device.isSuspended, !wasSuspended else { return }
                wasSuspended = true
                events?(.signal(.suspended(true)))
            }
        } else {
            try? ask(.track)
        }
    }

    /// The server asks something of the stream.
    func asked(_ name: String) { events?(.signal(.event(name))) }

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
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector) }
}
