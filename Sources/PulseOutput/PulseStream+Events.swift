import CPulse
import Platform
import PlaybackEngine

/// The handlers of the PulseAudio server's events. libpulse calls the handlers on the mainloop's thread, which holds the lock.
extension PulseStream {
    /// Handles the creation or the loss of the PulseAudio stream.
    func stateChanged() {
        connection.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(connection.lastError("The PulseAudio stream failed."))
    }

    /// Handles the move of the PulseAudio stream to another device.
    func moved() {
        playhead.renew()
        rewinder.deviceChanged()
        // If the stream's new device is not suspended, libpulse reports only the move, and not that the stream has resumed.
        if device.wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        device.move(to: deviceName) { [unowned self] wasRemoved in emit(.changed(device.found.output, wasRemoved: wasRemoved)) }
        if isStarted { try? requestTiming(.track) }
    }

    /// Handles the suspension or the resumption of the stream's device.
    func suspended() {
        let isSuspended = pa_stream_is_suspended(stream) == 1
        if !isSuspended, device.wasSuspended {
            device.reported(isSuspended: false)
            emit(.signal(.suspended(false)))
        }
        guard isStarted else { return }
        if isSuspended {
            playhead.freeze()
            // The server suspends an idle device automatically, and may have sent the event of the suspension before it received our command to
            // start. The server performs the look-up of the device after it has received our command to start. If the look-up still finds the device
            // suspended, another party has suspended it.
            device.lookUp(deviceName) { [unowned self] in
                guard isStarted, device.found.isSuspended, !device.wasSuspended else { return }
                device.reported(isSuspended: true)
                emit(.signal(.suspended(true)))
            }
        } else {
            try? requestTiming(.track)
        }
    }

    /// Handles a request of the PulseAudio server to the stream, such as "request-cork"; `name` is the request's name in PulseAudio.
    func requestArrived(_ name: String) { emit(.signal(.event(name))) }

    /// Handles the PulseAudio server's reply to a command that returns no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { replies.commandWasRefused() }
    }

    /// The name of the device on which the stream plays now.
    var deviceName: String { pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "" }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector) }
}
