/// A fact about the machine that concerns the program's audio, in the terms of PulseAudio, PipeWire and logind (R-LNX-01…10).
///
/// `AudioPolicy` translates a signal to events of an audio session.
public enum SystemSignal: Sendable, Hashable {
    /// A named event of one of our streams: `request-cork`, `request-uncork`. PipeWire sends none (R-LNX-05); other names are ignored (R-LNX-04).
    case streamEvent(String)
    /// Another program suspended the sink of our stream (true) or resumed that sink (false).
    case sinkSuspended(Bool)
    /// The sound server killed our stream.
    case streamKilled
    /// logind's PrepareForSleep: the machine will sleep (true) or has woken (false).
    case prepareForSleep(Bool)
    /// logind's Lock (true) and Unlock (false).
    case sessionLocked(Bool)
    /// Our stream plays to another output, or the output's configuration changed.
    case outputChanged(AVAudioSessionRouteDescription, by: OutputCause)
    /// The server has no sink except its own null sink.
    case onlyNullOutputLeft
    /// The volume of our stream's sink changed. The value is linear: 0 is silence, 1 is full volume.
    case sinkVolume(Double)
    /// The streams of other programs on our sink changed. The values are their roles; the role of a stream without one is an empty string.
    case otherStreams([String])
    /// A stream that pauses others by its role (a phone call) started or stopped on our device.
    case triggerStream(isActive: Bool)
    /// Another program's short spoken prompt started or ended.
    case promptStream(isActive: Bool)
    /// The connection to the sound server failed.
    case serverLost
    /// The connection to the sound server was established again.
    case serverReconnected

    /// The cause of a change of output.
    public enum OutputCause: Sendable, Hashable {
        /// The active port became unavailable, or the sink was removed.
        case removed
        /// A port or a sink was added, and the stream moved to it.
        case added
        /// A user moved the stream to another sink with a mixer program.
        case movedByUser
        /// The port or the format of the same sink changed.
        case configured
    }
}

/// A source of system signals. Sources are adapters (of PulseAudio's subscription, of logind); a test has its own.
public protocol SystemEvents: AnyObject, Sendable {
    /// Starts reporting signals. The source may call `tell` on any thread, but never concurrently. `start` is called once.
    func start(_ tell: @escaping @Sendable (SystemSignal) -> Void)
    /// Stops reporting signals. No signal is reported after this function has returned.
    func stop()
}

/// The pure translation of system signals to events of an audio session (R-LNX-21…36).
struct AudioPolicy {
    private var isServerLost = false

    /// Returns the events that a signal causes in a session with the configuration `settings`.
    mutating func events(for signal: SystemSignal, _ settings: SessionSettings) -> [AVAudioSession.AudioSessionEvent] {
        switch signal {
        case .streamEvent("request-cork"):
            // R-LNX-21: a session of a category that always mixes does not pause, because the sound server mutes the stream.
            return settings.category == .ambient ? [] : [.interruptionBegan(.default)]
        case .streamEvent("request-uncork"): return [.interruptionEnded(shouldResume: true)]
        case .streamEvent: return []
        case .sinkSuspended(true), .streamKilled: return [.interruptionBegan(.default)]
        case .sinkSuspended(false): return [.interruptionEnded(shouldResume: true)]
        case .prepareForSleep(true): return [.interruptionBegan(.default)]
        // R-LNX-26: playback does not resume automatically after a sleep.
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
