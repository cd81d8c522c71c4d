import CPulse
import Platform
import PlaybackEngine

/// Events of the server, on the mainloop's thread under the lock.
extension PulseStream {
    /// Handles the creation or the loss of the stream.
    func stateChanged() {
        mainloop.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(mainloop.lastError("The PulseAudio stream failed."))
    }

    /// The stream was moved to another device.
    func moved() {
        playhead.renew()
        rewinder.deviceChanged()
        // If the new device is not suspended, libpulse reports only the move.
        if device.wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        device.move(to: deviceName) { [unowned self] wasRemoved in emit(.changed(device.found.output, wasRemoved: wasRemoved)) }
        if isStarted { try? requestTiming(.track) }
    }

    /// The device was suspended or resumed.
    func suspended() {
        let isSuspended = pa_stream_is_suspended(stream) == 1
        if !isSuspended, device.wasSuspended {
            device.reported(isSuspended: false)
            emit(.signal(.suspended(false)))
        }
        guard isStarted else { return }
        if isSuspended {
            playhead.freeze()
            // An idle device is suspended automatically, and that event may cross our start. The server replies to this look-up after our start: if
            // the device is suspended even then, another party suspended it.
            device.lookUp(deviceName) { [unowned self] in
                guard isStarted, device.found.isSuspended, !device.wasSuspended else { return }
                device.reported(isSuspended: true)
                emit(.signal(.suspended(true)))
            }
        } else {
            try? requestTiming(.track)
        }
    }

    /// The server sent a request to the stream.
    func requestArrived(_ name: String) { emit(.signal(.event(name))) }

    /// The server replied to a command without data.
    func commandAnswered(isDone: Bool) {
        if !isDone { replies.commandWasRefused() }
    }

    /// The name of the device that the stream plays on now.
    var deviceName: String { pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "" }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector) }
}
