import CPulse
import PlaybackEngine

/// A gain as PulseAudio says it: 1 is exactly its norm, at which it leaves samples alone.
func pulseVolume(_ gain: Float) -> pa_volume_t {
    if gain >= 1 { return CPulse_volumeNorm }
    return gain > 0 ? pa_sw_volume_from_linear(Double(gain)) : 0
}

extension PulseStream {
    /// Sets the gain, 0…1, and the mute. Sent, not waited for.
    ///
    /// A gain of 0 is sent as mute: with flat volumes the device's volume goes down with its streams', and 0 would leave nothing to come back to.
    func setVolume(_ gain: Float, isMuted: Bool) {
        mainloop.withLock {
            guard !isClosed, failure == nil else { return }
            let index = pa_stream_get_index(stream)
            guard index != UInt32.max else { return }
            // Muting comes before a change of volume and unmuting after it: nothing is heard in between.
            let isSilent = isMuted || pulseVolume(gain) == 0
            if isSilent { setStreamMute(true, index) }
            if pulseVolume(gain) > 0 {
                if device.hasFlatVolume {
                    wantedGain = gain
                    try? send(pa_context_get_sink_input_info(mainloop.context, index, pulseVolumeFound, pointerToSelf))
                } else {
                    self.gain = gain
                    setStreamVolume(pulseVolume(gain), index)
                }
            }
            wantsMute = isSilent
            if !isSilent, wantedGain == nil { setStreamMute(false, index) }
        }
    }

    /// The stream's present volume, on the device's scale: what the user made of it stands for the gain asked for last, so the new gain is
    /// relative to that, and full volume is never louder than the user had it.
    func volumeFound(_ present: pa_volume_t) {
        guard let wanted = wantedGain else { return }
        wantedGain = nil
        if present > 0 { fullVolume = min(pa_sw_volume_divide(present, pulseVolume(gain)), CPulse_volumeNorm) }
        gain = wanted
        let index = pa_stream_get_index(stream)
        setStreamVolume(pa_sw_volume_multiply(fullVolume, pulseVolume(wanted)), index)
        if !wantsMute { setStreamMute(false, index) }
    }

    private func setStreamVolume(_ volume: pa_volume_t, _ index: UInt32) {
        var volumes = pa_cvolume()
        pa_cvolume_set(&volumes, UInt32(format.channelCount), volume)
        try? send(pa_context_set_sink_input_volume(mainloop.context, index, &volumes, nil, nil))
    }

    private func setStreamMute(_ isMuted: Bool, _ index: UInt32) {
        try? send(pa_context_set_sink_input_mute(mainloop.context, index, isMuted ? 1 : 0, nil, nil))
    }
}
