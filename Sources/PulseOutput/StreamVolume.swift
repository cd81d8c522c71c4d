import CPulse
import Platform
import PlaybackEngine

/// PulseAudio's volume for a gain. A gain of 1 is exactly the norm, at which the server does not change samples.
func pulseVolume(_ gain: Float) -> pa_volume_t {
    if gain >= 1 { return CPulse_volumeNorm }
    return gain > 0 ? pa_sw_volume_from_linear(Double(gain)) : 0
}

/// The volume and the mute of a stream, without waiting for replies.
///
/// While the stream plays, a change is a ramp (`VolumeRamp`). Each step is sent with a request for the volume, and the next one after the reply, so a
/// slow server gets fewer steps. If a reply has a volume that was not sent, another program has set it, and the ramp ends there. PipeWire replies
/// late, so a reply is compared with the range since the last confirmed volume (`recent`).
///
/// A gain of 0 becomes mute after the ramp: with flat volumes, a volume of 0 could not be multiplied to a higher one again. Needs the lock.
final class StreamVolume {
    private struct Goal {
        var gain: Float
        var isSilent: Bool
        var stream: UInt32
        var hasFlatVolume: Bool
        /// Whether the stream plays, so that the change is a ramp.
        var isHeard: Bool
    }

    /// The tolerance for the server's rounding, in units of PulseAudio: about a thousandth of the norm (65,536).
    private static let tolerance = 64
    /// The time in which a server restores volumes, and an older report may arrive, in seconds.
    private static let settlingTime = 1.0

    private let connection: PulseConnection
    private let clock = MonotonicClock()
    /// The volumes that were reported last, with the balance of the user.
    private var channels = pa_cvolume()
    /// The gain that was sent last.
    private var gain: Float = 1
    /// The volume that was sent last.
    private var sent = CPulse_volumeNorm
    /// The volume that was confirmed last, and all that were sent after it.
    private var recent = CPulse_volumeNorm...CPulse_volumeNorm
    /// The mute that was sent last, or that another program has set since.
    private var hasSentMute = false
    /// When another mute than before was sent last.
    private var muteSentAt = HostTime(seconds: 0)
    /// When the stream was made. A server may restore a volume of its own then.
    private var began = HostTime(seconds: 0)
    /// Whether the gain is 0, which is sent as a mute.
    private var isSilentByGain = false
    /// Called when another program has changed the volume or the mute: with the gain, 0 to 1, and the mute.
    private var onForeignChange: ((Float, Bool) -> Void)?
    private var goal: Goal?
    /// The present ramp; nil until the server has reported the volume at which the ramp begins.
    private var ramp: VolumeRamp?
    /// Whether the change has replaced another ramp.
    private var wasInRamp = false
    private var lastStep = HostTime(seconds: 0)
    private var awaitsReport = false
    /// The stream of the last report.
    private var reported: UInt32?
    /// The timer of the next step.
    private var timer: OpaquePointer?
    /// The volume that is sent for a gain of 1. It is the norm; but with flat volumes (the stream's volume is on the device's scale), it is lower
    /// after the user has lowered the volume in a mixer.
    private var fullVolume = CPulse_volumeNorm

    init(connection: PulseConnection, channelCount: Int) {
        self.connection = connection
        pa_cvolume_set(&channels, UInt32(channelCount), CPulse_volumeNorm)
    }

    func begin(with gain: Float, isMuted: Bool) -> (volumes: pa_cvolume, isMuted: Bool) {
        let isSilent = pulseVolume(gain) == 0
        isSilentByGain = isSilent
        began = clock.now
        self.gain = isSilent ? 1 : gain
        sent = pulseVolume(self.gain)
        recent = sent...sent
        hasSentMute = isMuted || isSilent
        return (volumes(sent), hasSentMute)
    }

    /// Sets the gain, 0 to 1, of the stream with this index. `isHeard`: the stream plays, so that the change is a ramp.
    func set(_ new: Float, isMuted: Bool, stream: UInt32, hasFlatVolume: Bool, isHeard: Bool) {
        isSilentByGain = pulseVolume(new) == 0
        let isSilent = isMuted || isSilentByGain
        let kept = goal?.gain ?? gain
        goal = Goal(gain: pulseVolume(new) == 0 ? kept : new, isSilent: isSilent, stream: stream, hasFlatVolume: hasFlatVolume, isHeard: isHeard)
        wasInRamp = ramp != nil || wasInRamp && awaitsReport
        ramp = nil
        cancelTimer()
        if !isHeard {
            // The stream is muted before the change, and unmuted after it, so that the wrong volume is not heard.
            if isSilent { sendMute(true, stream) }
            if !hasFlatVolume { return finish() }
        }
        if !awaitsReport { requestReport(of: stream) }
    }

    /// Sets the function that is called after each change by another program.
    func observe(_ onForeignChange: ((Float, Bool) -> Void)?) { self.onForeignChange = onForeignChange }

    /// Looks whether another program has changed the volume or the mute. Called when the server says that the stream has changed.
    func lookForForeignChange(of stream: UInt32) {
        if goal == nil, !awaitsReport { requestReport(of: stream) }
    }

    func end() {
        (goal, ramp) = (nil, nil)
        cancelTimer()
    }

    /// Handles the server's report of volume and mute: begins a waiting change, or takes the next step. If another program has set the volume, the
    /// ramp ends there.
    func found(_ reported: pa_cvolume, isMuted: Bool) {
        awaitsReport = false
        var reported = reported
        let present = pa_cvolume_max(&reported)
        if present > 0 { channels = reported }
        let wasOurs = isOurs(present)
        if abs(Int(present) - Int(sent)) <= Self.tolerance { recent = sent...sent }
        guard let goal else { return takeForeign(present, isMuted: isMuted, isOurs: wasOurs) }
        if ramp == nil { return begin(goal, from: present, isMuted: isMuted || hasSentMute) }
        // A ramp goes on from its last step over a louder volume that the server restores.
        guard isOurs(present) || isRestored(present) else {
            // The volume that another program has set remains, and becomes the player's. With flat volumes it may have changed with the device's.
            end()
            if goal.isSilent { sendMute(true, goal.stream) }
            guard goal.hasFlatVolume else { return takeForeign(present, isMuted: hasSentMute, isOurs: false) }
            (gain, sent, recent) = (goal.gain, present, present...present)
            return
        }
        advance()
    }

    /// Takes over what another program has set, and reports it. A volume of 0 is sent as a mute, which the other program must not end.
    private func takeForeign(_ present: pa_volume_t, isMuted: Bool, isOurs: Bool) {
        let now = clock.now
        // PipeWire's reports may be older than our last mute.
        let isForeignMute = isMuted != hasSentMute && now - muteSentAt > Self.settlingTime
        guard !isOurs || isForeignMute, let stream = reported else { return }
        if !isOurs {
            guard !isRestored(present) else { return send(gain, stream) }
            gain = min(1, Float(pa_sw_volume_to_linear(present)))
            sent = present
            recent = sent...sent
            isSilentByGain = isSilentByGain && isMuted
        }
        if isForeignMute {
            if !isMuted, isSilentByGain { return sendMute(true, stream) }
            hasSentMute = isMuted
        }
        onForeignChange?(isSilentByGain ? 0 : gain, hasSentMute && !isSilentByGain)
    }

    /// Whether the reported volume is louder than the last one that was sent, soon after the stream was made. Then it is the server's memory of another
    /// stream, and is not taken over.
    private func isRestored(_ present: pa_volume_t) -> Bool { present > sent && clock.now - began <= Self.settlingTime }

    /// Whether the player, and no other program, has set the reported volume.
    private func isOurs(_ present: pa_volume_t) -> Bool {
        Int(present) >= Int(recent.lowerBound) - Self.tolerance && Int(present) <= Int(recent.upperBound) + Self.tolerance
    }

    /// Begins the change. With flat volumes, `present` divided by the last gain is the volume of a gain of 1, so that it is never louder than in the
    /// user's mixer; otherwise it is the norm.
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
        // If the ramp replaces another one, it continues from the last step of that one.
        if !wasInRamp { lastStep = clock.now }
        advance()
    }

    /// Takes the next step if it is due; otherwise sets a timer.
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
        requestReport(of: goal.stream)
    }

    /// Sends exactly the requested gain and mute.
    private func finish() {
        guard let goal else { return }
        if goal.isSilent { sendMute(true, goal.stream) }
        send(goal.gain, goal.stream)
        // A ramp has ended the mute at its start; a later mute in a mixer stays.
        if !goal.isSilent, ramp == nil || hasSentMute { sendMute(false, goal.stream) }
        end()
    }

    private func requestReport(of stream: UInt32) {
        let me = Unmanaged.passUnretained(self).toOpaque()
        do {
            try connection.send(pa_context_get_sink_input_info(connection.context, stream, pulseVolumeFound, me))
            (awaitsReport, reported) = (true, stream)
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
        if isMuted != hasSentMute { muteSentAt = clock.now }
        hasSentMute = isMuted
        try? connection.send(pa_context_set_sink_input_mute(connection.context, stream, isMuted ? 1 : 0, nil, nil))
    }
}

/// A change of volume in steps, at a speed that reaches the goal after 40 ms.
///
/// A step of the gain is at least 0.0005, and at most 0.001 or, if more, the change in half a millisecond: if the whole change is at most 0.08, no
/// step changes a sample of 16 bits by more than 33. If the server replies late, the ramp takes longer, but its steps do not grow.
struct VolumeRamp: Hashable {
    /// The smallest step, except for the last one.
    static let smallestStep = 0.0005
    /// The largest step that is taken at any speed.
    static let inaudibleStep = 0.001
    /// In seconds; a step above `inaudibleStep` is at most the change in this time.
    static let longestStep = 0.0005

    let goal: Double
    /// The change in a second, without sign.
    let speed: Double

    init(from gain: Double, to goal: Double) {
        self.goal = goal
        speed = abs(goal - gain) / GainRamp.seconds
    }

    /// The next gain, if `gain` was set `elapsed` seconds ago; nil if no step is due.
    func gain(after gain: Double, elapsed: Double) -> Double? {
        let rest = abs(goal - gain)
        let step = min(speed * elapsed, max(Self.inaudibleStep, speed * Self.longestStep))
        guard step >= min(Self.smallestStep, rest) * 0.999 else { return nil }
        return step >= rest ? goal : gain + (goal > gain ? step : -step)
    }

    /// The time for a change by `smallestStep`, or to the goal, in seconds.
    func wait(after gain: Double) -> Double { speed > 0 ? min(Self.smallestStep, abs(goal - gain)) / speed : 0 }
}
