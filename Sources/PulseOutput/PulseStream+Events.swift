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
        // Before the end of `connect`, a move is that of `connect` itself, which looks up the device afterwards.
        guard isConnected else { return }
        playhead.renew()
        rewinder.deviceChanged()
        // If the PulseAudio stream is moved to a device that is not suspended, libpulse reports only the move. libpulse does not report that the
        // suspension of the stream has ended, so the end of the suspension is handled here.
        if device.wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        device.move(to: deviceName) { [unowned self] wasRemoved in emit(.changed(device.found.output, wasRemoved: wasRemoved)) }
        if isStarted { try? requestTiming(.track) }
    }

    /// Handles the suspension of the device on which the PulseAudio stream plays, or the end of the suspension.
    func suspended() {
        let isSuspended = pa_stream_is_suspended(stream) == 1
        if !isSuspended, device.wasSuspended {
            device.reported(isSuspended: false)
            emit(.signal(.suspended(false)))
        }
        if !isSuspended { lookUpFormat() }
        guard isStarted else { return }
        if isSuspended {
            playhead.freeze()
            // The PulseAudio server suspends an idle device by itself. The server's event of the automatic suspension may arrive after our command to
            // start, which ends the suspension. The server looks up the device after it has received our command to start. So if the look-up still
            // finds the device suspended, another program has suspended it.
            device.lookUp(deviceName) { [unowned self] in
                guard isStarted, device.found.isSuspended, !device.wasSuspended else { return }
                device.reported(isSuspended: true)
                emit(.signal(.suspended(true)))
            }
        } else {
            try? requestTiming(.track)
        }
    }

    /// Looks up the format of the device, and emits `.changed` if it differs from the known one. Called after a suspension, because the PulseAudio
    /// server changes the format only while the device is suspended.
    private func lookUpFormat() {
        guard isConnected else { return }
        let former = device.found.format
        device.lookUpAgain(deviceName) { [unowned self] in
            if isUsable, device.found.format != former { emit(.changed(device.found.output, wasRemoved: false)) }
        }
    }

    /// Handles a request that the PulseAudio server sends to the stream. `name` is PulseAudio's name of the request, for example "request-cork".
    func requestArrived(_ name: String) { emit(.signal(.event(name))) }

    /// Handles the PulseAudio server's reply to a command that returns no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { replies.commandWasRefused() }
    }

    /// The name of the device on which the stream plays now.
    var deviceName: String { pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "" }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector, device: format) }
}
