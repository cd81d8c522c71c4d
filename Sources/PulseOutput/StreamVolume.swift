import CPulse
import PlaybackEngine

/// Converts a gain (1 is full volume) to a volume of PulseAudio. A gain of 1 is exactly PulseAudio's norm, at which the server does not change
/// samples.
func pulseVolume(_ gain: Float) -> pa_volume_t {
    if gain >= 1 { return CPulse_volumeNorm }
    return gain > 0 ? pa_sw_volume_from_linear(Double(gain)) : 0
}

/// The volume and the mute of a PulseAudio stream. `StreamVolume` does not wait for the server's replies.
///
/// A gain of 0 is sent to the server as mute, not as a volume of 0. With flat volumes, the volume of the device falls with the volumes of its
/// streams, and a volume of 0 could not be multiplied to a higher volume again.
///
/// All calls of `StreamVolume` need the lock of libpulse's mainloop.
final class StreamVolume {
    private let connection: PulseConnection
    private let channelCount: Int
    /// The gain that was last sent to the server as the stream's volume.
    private var gain: Float = 1
    /// The gain that will be set after the server has reported the stream's present volume, and the stream's index. The server reports the present
    /// volume only if the device has flat volumes. Nil if no report is awaited.
    private var pending: (gain: Float, stream: UInt32)?
    /// Whether the stream will be muted after the server has reported the stream's present volume.
    private var mutesAfterReply = false
    /// The volume, on the device's scale, that corresponds to a gain of 1. On a device with flat volumes, `fullVolume` is lower than PulseAudio's
    /// norm if the user has lowered the stream's volume.
    private var fullVolume = CPulse_volumeNorm

    init(connection: PulseConnection, channelCount: Int) {
        self.connection = connection
        self.channelCount = channelCount
    }

    /// Returns the volumes of the channels of a stream that begins with the gain `gain`, and whether the stream begins muted.
    func begin(with gain: Float, isMuted: Bool) -> (volumes: pa_cvolume, isMuted: Bool) {
        let isSilent = pulseVolume(gain) == 0
        self.gain = isSilent ? 1 : gain
        return (volumes(pulseVolume(self.gain)), isMuted || isSilent)
    }

    /// Sets the gain, from 0 to 1, and the mute of the stream whose index is `stream`.
    func set(_ new: Float, isMuted: Bool, stream: UInt32, hasFlatVolume: Bool) {
        // The stream is muted before a change of the volume, and unmuted only after the change. Without the mute, audio could be heard at the wrong
        // volume.
        let isSilent = isMuted || pulseVolume(new) == 0
        if isSilent { sendMute(true, stream) }
        if pulseVolume(new) > 0 {
            if hasFlatVolume {
                pending = (new, stream)
                let me = Unmanaged.passUnretained(self).toOpaque()
                try? connection.send(pa_context_get_sink_input_info(connection.context, stream, pulseVolumeFound, me))
            } else {
                gain = new
                send(pulseVolume(new), stream)
            }
        }
        mutesAfterReply = isSilent
        if !isSilent, pending == nil { sendMute(false, stream) }
    }

    /// Handles the server's report of the stream's present volume, which the user may have changed in a volume mixer. The present volume corresponds
    /// to the last gain that was set. The present volume divided by the last gain is the volume for a gain of 1. The new gain multiplies the volume
    /// for a gain of 1. So a gain of 1 is never louder than the user has set in the mixer.
    func found(_ present: pa_volume_t) {
        guard let (new, stream) = pending else { return }
        pending = nil
        if present > 0 { fullVolume = min(pa_sw_volume_divide(present, pulseVolume(gain)), CPulse_volumeNorm) }
        gain = new
        send(pa_sw_volume_multiply(fullVolume, pulseVolume(new)), stream)
        if !mutesAfterReply { sendMute(false, stream) }
    }

    private func volumes(_ volume: pa_volume_t) -> pa_cvolume {
        var volumes = pa_cvolume()
        pa_cvolume_set(&volumes, UInt32(channelCount), volume)
        return volumes
    }

    private func send(_ volume: pa_volume_t, _ stream: UInt32) {
        var volumes = volumes(volume)
        try? connection.send(pa_context_set_sink_input_volume(connection.context, stream, &volumes, nil, nil))
    }

    private func sendMute(_ isMuted: Bool, _ stream: UInt32) {
        try? connection.send(pa_context_set_sink_input_mute(connection.context, stream, isMuted ? 1 : 0, nil, nil))
    }
}
