import CPulse
import PlaybackEngine

/// Converts a gain to a volume of PulseAudio. A gain of 1 is exactly the norm, at which PulseAudio does not change samples.
func pulseVolume(_ gain: Float) -> pa_volume_t {
    if gain >= 1 { return CPulse_volumeNorm }
    return gain > 0 ? pa_sw_volume_from_linear(Double(gain)) : 0
}

extension PulseStream {
    /// Sets the gain, 0…1, and the mute. Does not wait for the reply.
    ///
    /// A gain of 0 is sent as mute: with flat volumes the volume of the device falls with those of its streams, and 0 could not be scaled up again.
    func setVolume(_ gain: Float, isMuted: Bool) {
        mainloop.withLock {
            guard !isClosed, failure == nil else { return }
            let index = pa_stream_get_index(stream)
            guard index != UInt32.max else { return }
            // Mute before a change of volume and unmute after it, so that the change is not heard in between.
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

    /// Handles the reply with the stream's present volume, on the device's scale, which the user may have changed. It corresponds to the last
    /// requested gain. So the new gain is relative to it, and full volume is never louder than the user's setting.
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
