import CPulse
import Platform
import PlaybackEngine

/// The handlers of the server's events. libpulse calls them on the mainloop's thread, which holds the lock.
extension PulseStream {
    /// Handles the creation or the loss of the stream.
    func stateChanged() {
        mainloop.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(mainloop.lastError("The PulseAudio stream failed."))
    }

    /// Handles the move of the stream to another device.
    func moved() {
        playhead.renew()
        rewinder.deviceChanged()
        // If the new device is not suspended, libpulse reports only the move, and not that the stream has resumed.
        if device.wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        device.move(to: deviceName) { [unowned self] wasRemoved in emit(.changed(device.found.output, wasRemoved: wasRemoved)) }
        if isStarted { try? requestTiming(.track) }
    }

    /// Handles the suspension or the resumption of the device.
    func suspended() {
        let isSuspended = pa_stream_is_suspended(stream) == 1
        if !isSuspended, device.wasSuspended {
            device.reported(isSuspended: false)
            emit(.signal(.suspended(false)))
        }
        guard isStarted else { return }
        if isSuspended {
            playhead.freeze()
            // The server suspends an idle device automatically, and may have sent this event before it received our command to start. The server
            // performs this look-up after that command. If the device is still suspended then, another party has suspended it.
            device.lookUp(deviceName) { [unowned self] in
                guard isStarted, device.found.isSuspended, !device.wasSuspended else { return }
                device.reported(isSuspended: true)
                emit(.signal(.suspended(true)))
            }
        } else {
            try? requestTiming(.track)
        }
    }

    /// Handles a request of the server to the stream, such as "request-cork"; `name` is the request's name in PulseAudio.
    func requestArrived(_ name: String) { emit(.signal(.event(name))) }

    /// Handles the server's reply to a command that returns no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { replies.commandWasRefused() }
    }

    /// The name of the device that the stream plays on now.
    var deviceName: String { pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "" }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector) }
}
