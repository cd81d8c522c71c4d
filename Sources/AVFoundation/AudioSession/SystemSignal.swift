/// A fact about the machine in the terms of PulseAudio, PipeWire and logind (R-LNX-01…10), which `AudioPolicy` translates for an audio session.
public enum SystemSignal: Sendable, Hashable {
    /// An event of this program's streams: `request-cork`, `request-uncork`; others are ignored (R-LNX-04). PipeWire sends none (R-LNX-05).
    case streamEvent(String)
    /// Another program suspended or resumed the sink of this program's stream.
    case sinkSuspended(Bool)
    /// The sound server ended this program's stream.
    case streamKilled
    /// logind reports that the machine will sleep (true) or has woken (false).
    case prepareForSleep(Bool)
    /// logind reports Lock (true) or Unlock (false).
    case sessionLocked(Bool)
    /// The output changed, or its configuration.
    case outputChanged(AVAudioSessionRouteDescription, by: OutputCause)
    /// Only the sound server's own null sink is left.
    case onlyNullOutputLeft
    /// The linear volume: 0 is silence, 1 is full volume.
    case sinkVolume(Double)
    /// The streams of other programs on this program's sink, by role; a stream without a role is an empty text.
    case otherStreams([String])
    /// A stream that pauses others by its role (a phone call) begins or ends on this program's device.
    case triggerStream(isActive: Bool)
    /// Another program's short spoken prompt begins or ends.
    case promptStream(isActive: Bool)
    case serverLost
    case serverReconnected

    /// The cause of a change of output.
    public enum OutputCause: Sendable, Hashable {
        /// The active port became unavailable, or the sink was removed.
        case removed
        /// The stream moved to a new port or sink.
        case added
        /// The user moved the stream with a mixer program.
        case movedByUser
        /// The port or the format of the same sink changed.
        case configured
    }
}

/// An adapter (of PulseAudio's subscription, of logind), or a test's own source.
public protocol SystemEvents: AnyObject, Sendable {
    /// Called once. `report` may be called on any thread, but never concurrently.
    func start(_ report: @escaping @Sendable (SystemSignal) -> Void)
    /// No signal is reported after `stop`.
    func stop()
}

/// The translation of signals to events of a session, as a value (R-LNX-21…36).
struct AudioPolicy {
    private var isServerLost = false

    mutating func events(for signal: SystemSignal, _ settings: SessionSettings) -> [AVAudioSession.AudioSessionEvent] {
        switch signal {
        case .streamEvent("request-cork"):
            // R-LNX-21: the sound server mutes the stream itself.
            return settings.category == .ambient ? [] : [.interruptionBegan(.default)]
        case .streamEvent("request-uncork"): return [.interruptionEnded(shouldResume: true)]
        case .streamEvent: return []
        case .sinkSuspended(true), .streamKilled: return [.interruptionBegan(.default)]
        case .sinkSuspended(false): return [.interruptionEnded(shouldResume: true)]
        case .prepareForSleep(true): return [.interruptionBegan(.default)]
        // R-LNX-26: no automatic resumption after sleep.
        case .prepareForSleep(false): return [.interruptionEnded(shouldResume: false), .routeChanged(.wakeFromSleep)]
        case .sessionLocked(let isLocked): return [.screenLocked(isLocked)]
        case .outputChanged(let route, let cause):
            switch cause {
            case .removed: return [.routeChanged(.oldDeviceUnavailable, route)]
            case .added: return [.routeChanged(.newDeviceAvailable, route)]
            case .movedByUser: return [.routeChanged(.override, route)]
            case .configured: return [.routeChanged(.routeConfigurationChange, route)]
            }
        case .onlyNullOutputLeft: return [.routeChanged(.noSuitableRouteForCategory, AVAudioSessionRouteDescription())]
        case .sinkVolume(let volume): return volume.isFinite ? [.outputVolumeChanged(Float(min(1, max(0, volume))))] : []
        case .otherStreams(let roles):
            let primary = ["phone", "music", "video"]
            return [.otherAudioChanged(isPlaying: !roles.isEmpty, isPrimary: roles.contains { primary.contains($0) })]
        case .triggerStream(let isActive): return [.callChanged(isActive: isActive)]
        case .promptStream(let isActive): return [.promptChanged(isActive: isActive)]
        case .serverLost:
            guard !isServerLost else { return [] }
            isServerLost = true
            return [.mediaServicesLost]
        case .serverReconnected:
            guard isServerLost else { return [] }
            isServerLost = false
            return [.mediaServicesReset]
        }
    }
}
