import CPulse
import Platform
import PlaybackEngine

/// The server's events, on the mainloop's thread, which holds the lock.
extension PulseStream {
    func stateChanged() {
        connection.notifyWaiter()
        guard !pa_stream_get_state(stream).isGood else { return }
        fail(connection.lastError("The PulseAudio stream failed."))
    }

    func moved() {
        // A move before the end of `connect` was requested by `connect` itself, which looks up the device afterwards.
        guard isConnected else { return }
        playhead.renew()
        rewinder.deviceChanged()
        // libpulse reports only the move, and not that the suspension has ended.
        if device.wasSuspended, pa_stream_is_suspended(stream) == 0 { suspended() }
        device.move(to: deviceName) { [unowned self] wasRemoved in emit(.changed(device.found.output, wasRemoved: wasRemoved)) }
        if isStarted { try? requestTiming(.track) }
    }

    /// The device was suspended, or its suspension has ended.
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
            // The server suspends an idle device by itself, and that event may arrive after our start, which ends the suspension. The look-up follows
            // the start, so if it still finds a suspension, another program has caused it.
            device.lookUp(deviceName) { [unowned self] in
                guard isStarted, device.found.isSuspended, !device.wasSuspended else { return }
                device.reported(isSuspended: true)
                emit(.signal(.suspended(true)))
            }
        } else {
            try? requestTiming(.track)
        }
    }

    /// Looks up the device's format after a suspension, because the server changes the format only during one.
    private func lookUpFormat() {
        guard isConnected else { return }
        let former = device.found.format
        device.lookUpAgain(deviceName) { [unowned self] in
            if isUsable, device.found.format != former { emit(.changed(device.found.output, wasRemoved: false)) }
        }
    }

    /// A stream of the server has changed. With flat volumes, a stream's volume changes with its device's, so it is not followed.
    func noted(streamIndex: UInt32) {
        guard isUsable, streamIndex == pa_stream_get_index(stream), !device.found.hasFlatVolume else { return }
        volume.lookForForeignChange(of: streamIndex)
    }

    /// A device of the server has changed.
    func noted(deviceIndex: UInt32) {
        guard isUsable, deviceIndex == pa_stream_get_device_index(stream) else { return }
        device.lookUpVolume { [unowned self] in if isUsable { emit(.deviceVolumeChanged) } }
    }

    /// The server's request to the stream, such as "request-cork".
    func requestArrived(_ name: String) { emit(.signal(.event(name))) }

    /// Handles the reply to a command that returns no data.
    func commandAnswered(isDone: Bool) {
        if !isDone { replies.commandWasRefused() }
    }

    /// The device on which the stream plays now.
    var deviceName: String { pa_stream_get_device_name(stream).map { String(cString: $0) } ?? "" }
}

extension PulseDevice {
    var output: OutputDescription { OutputDescription(kind: "pulse", id: name, name: description, connector: connector, device: format) }
}
