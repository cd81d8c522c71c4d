import CPulse
import Platform
import PlaybackEngine

/// Converts a gain (1 is full volume) to a volume of PulseAudio. A gain of 1 is exactly PulseAudio's norm, at which the server does not change
/// samples.
func pulseVolume(_ gain: Float) -> pa_volume_t {
    if gain >= 1 { return CPulse_volumeNorm }
    return gain > 0 ? pa_sw_volume_from_linear(Double(gain)) : 0
}

/// The volume and the mute of a PulseAudio stream. `StreamVolume` does not wait for the server's replies.
///
/// While the stream plays, a change is a ramp (`VolumeRamp`). A step is sent together with a request for the stream's volume, and the next step is
/// sent after the reply. So at most one step is in flight, and a slow server receives fewer steps. If the reply is a volume that was not sent,
/// another program has set it, and the ramp ends at this volume. PipeWire replies for some time with a volume that was sent earlier. So the reply is
/// compared with the range (`recent`) of the volume that a reply has confirmed last, and of all volumes that were sent after it.
///
/// A gain of 0 is sent to the server as mute after the ramp, not as a volume of 0. With flat volumes, the volume of the device falls with the volumes
/// of its streams, and a volume of 0 could not be multiplied to a higher volume again.
///
/// All calls of `StreamVolume` need the lock of libpulse's mainloop.
final class StreamVolume {
    /// The volume and mute that the player has requested.
    private struct Goal {
        /// The gain, without the mute.
        var gain: Float
        var isSilent: Bool
        var stream: UInt32
        var hasFlatVolume: Bool
        /// Whether the stream played when the change was requested, so that the change is a ramp.
        var isHeard: Bool
    }

    /// The maximum difference between two volumes that counts as the server's rounding, in units of PulseAudio: about a thousandth of the norm
    /// (65,536).
    private static let tolerance = 64

    private let connection: PulseConnection
    private let clock = MonotonicClock()
    /// The server's last report of the volumes of the channels, which has the balance that a user has set in a volume mixer.
    private var channels = pa_cvolume()
    /// The gain that was last sent to the server as the stream's volume.
    private var gain: Float = 1
    /// The volume that was last sent.
    private var sent = CPulse_volumeNorm
    /// The range of the volume that a report of the server has confirmed last, and of all volumes that were sent after it.
    private var recent = CPulse_volumeNorm...CPulse_volumeNorm
    /// Whether the mute that was last sent is on.
    private var hasSentMute = false
    /// The change in progress; nil if there is none.
    private var goal: Goal?
    /// The ramp of the change in progress; nil until the server has reported the present volume.
    private var ramp: VolumeRamp?
    /// Whether the change in progress has replaced another change that was not complete.
    private var wasInRamp = false
    /// The host time of the last step.
    private var lastStep = HostTime(seconds: 0)
    /// Whether a report of the stream's volume was requested and has not arrived.
    private var awaitsReport = false
    /// The timer of libpulse that fires when the next step of the ramp is due; nil if no timer runs.
    private var timer: OpaquePointer?
    /// The volume, on the device's scale, that corresponds to a gain of 1. On a device with flat volumes, `fullVolume` is lower than PulseAudio's
    /// norm if the user has lowered the stream's volume.
    private var fullVolume = CPulse_volumeNorm

    init(connection: PulseConnection, channelCount: Int) {
        self.connection = connection
        pa_cvolume_set(&channels, UInt32(channelCount), CPulse_volumeNorm)
    }

    /// Returns the volumes of the channels of a stream that begins with the gain `gain`, and whether the stream begins muted.
    func begin(with gain: Float, isMuted: Bool) -> (volumes: pa_cvolume, isMuted: Bool) {
        let isSilent = pulseVolume(gain) == 0
        self.gain = isSilent ? 1 : gain
        sent = pulseVolume(self.gain)
        recent = sent...sent
        hasSentMute = isMuted || isSilent
        return (volumes(sent), hasSentMute)
    }

    /// Sets the gain, from 0 to 1, and the mute of the stream whose index is `stream`.
    ///
    /// - Parameter isHeard: whether the stream plays, so that the change is a ramp. Otherwise the change is sent at once.
    func set(_ new: Float, isMuted: Bool, stream: UInt32, hasFlatVolume: Bool, isHeard: Bool) {
        let isSilent = isMuted || pulseVolume(new) == 0
        let kept = goal?.gain ?? gain
        goal = Goal(gain: pulseVolume(new) == 0 ? kept : new, isSilent: isSilent, stream: stream, hasFlatVolume: hasFlatVolume, isHeard: isHeard)
        wasInRamp = ramp != nil || wasInRamp && awaitsReport
        ramp = nil
        cancelTimer()
        if !isHeard {
            // The stream is muted before a change of the volume, and unmuted only after the change. Without the mute, audio could be heard at the
            // wrong volume.
            if isSilent { sendMute(true, stream) }
            if !hasFlatVolume { return finish() }
        }
        if !awaitsReport { requestReport() }
    }

    /// Discards the change in progress. Called when the stream is closed.
    func end() {
        (goal, ramp) = (nil, nil)
        cancelTimer()
    }

    /// Handles the server's report of the stream's present volume and mute, which the user may have changed in a volume mixer. Begins a change that
    /// has waited for the report, or takes the next step of the ramp. If another program has set the volume during the ramp, the ramp ends at this
    /// volume.
    func found(_ reported: pa_cvolume, isMuted: Bool) {
        awaitsReport = false
        var reported = reported
        let present = pa_cvolume_max(&reported)
        if present > 0 { channels = reported }
        if abs(Int(present) - Int(sent)) <= Self.tolerance { recent = sent...sent }
        guard let goal else { return }
        if ramp == nil { return begin(goal, from: present, isMuted: isMuted || hasSentMute) }
        guard isOurs(present) else {
            // Another program has set the volume in the meantime. This volume remains.
            if goal.isSilent { sendMute(true, goal.stream) }
            gain = goal.gain
            sent = present
            recent = sent...sent
            return end()
        }
        advance()
    }

    /// Whether the volume `present`, which the server reports, was sent by the player. Otherwise another program has set it.
    private func isOurs(_ present: pa_volume_t) -> Bool {
        Int(present) >= Int(recent.lowerBound) - Self.tolerance && Int(present) <= Int(recent.upperBound) + Self.tolerance
    }

    /// Begins a change at the volume that the server has reported.
    ///
    /// On a device with flat volumes, this volume divided by the last gain is the volume for a gain of 1 (`fullVolume`), and later gains multiply it.
    /// So a gain of 1 is never louder than the user has set in a mixer. On other devices, PulseAudio's norm is the volume for a gain of 1.
    private func begin(_ goal: Goal, from present: pa_volume_t, isMuted: Bool) {
        if goal.hasFlatVolume {
            if present > 0 { fullVolume = min(pa_sw_volume_divide(present, pulseVolume(gain)), CPulse_volumeNorm) }
        } else {
            fullVolume = CPulse_volumeNorm
            if !isOurs(present) { gain = Float(pa_sw_volume_to_linear(present)) }
        }
        if !goal.isHeard || (isMuted && goal.isSilent) { return finish() }
        if isMuted {
            send(Float(VolumeRamp.smallestStep), goal.stream)
            sendMute(false, goal.stream)
        }
        ramp = VolumeRamp(from: Double(gain), to: goal.isSilent ? 0 : Double(goal.gain))
        // If the change has replaced a ramp in progress, the new ramp continues from the last step of that ramp.
        if !wasInRamp { lastStep = clock.now }
        advance()
    }

    /// Sends the next step of the ramp if it is due, otherwise starts the timer for it.
    func advance() {
        cancelTimer()
        guard let goal, let ramp, !awaitsReport else { return }
        let now = clock.now
        guard let next = ramp.gain(after: Double(gain), elapsed: now - lastStep) else {
            let due = max(now, lastStep + ramp.wait(after: Double(gain)))
            let user = Unmanaged.passUnretained(self).toOpaque()
            timer = pa_context_rttime_new(connection.context, UInt64(max(0, due.nanoseconds)) / 1_000 + 1, pulseVolumeStepIsDue, user)
            return
        }
        lastStep = now
        if next == ramp.goal { return finish() }
        send(Float(next), goal.stream)
        requestReport()
    }

    /// Completes the change: sends exactly the requested gain and mute.
    private func finish() {
        guard let goal else { return }
        if goal.isSilent { sendMute(true, goal.stream) }
        send(goal.gain, goal.stream)
        // A ramp has already ended the mute at its start. If a user has muted the stream in a mixer since then, the stream stays muted.
        if !goal.isSilent, ramp == nil || hasSentMute { sendMute(false, goal.stream) }
        end()
    }

    private func requestReport() {
        guard let goal else { return }
        let me = Unmanaged.passUnretained(self).toOpaque()
        do {
            try connection.send(pa_context_get_sink_input_info(connection.context, goal.stream, pulseVolumeFound, me))
            awaitsReport = true
        } catch {
            end()
        }
    }

    private func cancelTimer() {
        guard let timer else { return }
        self.timer = nil
        connection.free(timer)
    }

    private func volumes(_ volume: pa_volume_t) -> pa_cvolume {
        var volumes = channels
        pa_cvolume_scale(&volumes, volume)
        return volumes
    }

    private func send(_ new: Float, _ stream: UInt32) {
        gain = new
        sent = pa_sw_volume_multiply(fullVolume, pulseVolume(new))
        recent = min(recent.lowerBound, sent)...max(recent.upperBound, sent)
        var volumes = volumes(sent)
        try? connection.send(pa_context_set_sink_input_volume(connection.context, stream, &volumes, nil, nil))
    }

    private func sendMute(_ isMuted: Bool, _ stream: UInt32) {
        hasSentMute = isMuted
        try? connection.send(pa_context_set_sink_input_mute(connection.context, stream, isMuted ? 1 : 0, nil, nil))
    }
}
