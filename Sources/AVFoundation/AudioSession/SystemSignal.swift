/// A fact about the machine that concerns the program's audio, in the terms of PulseAudio, PipeWire and logind (R-LNX-01…10).
///
/// `AudioPolicy` translates a system signal to events of an audio session.
public enum SystemSignal: Sendable, Hashable {
    /// A named event of one of this program's streams: `request-cork`, `request-uncork`. PipeWire sends no stream events (R-LNX-05). Stream events
    /// with other names are ignored (R-LNX-04).
    case streamEvent(String)
    /// Another program suspended (true) or resumed (false) the sink of this program's stream.
    case sinkSuspended(Bool)
    /// The sound server killed this program's stream.
    case streamKilled
    /// logind's PrepareForSleep: the machine will sleep (true) or has woken (false).
    case prepareForSleep(Bool)
    /// logind's Lock (true) and Unlock (false).
    case sessionLocked(Bool)
    /// The program's own stream plays to another output, or the output's configuration changed.
    case outputChanged(AVAudioSessionRouteDescription, by: OutputCause)
    /// The sound server has no sink except its own null sink.
    case onlyNullOutputLeft
    /// The volume of the sink of this program's stream changed. The volume is linear: 0 is silence, 1 is full volume.
    case sinkVolume(Double)
    /// The streams of other programs on this program's sink changed. The associated value has the role of each of those streams; an empty string
    /// stands for a stream without a role.
    case otherStreams([String])
    /// A stream whose role pauses other streams (a phone call) started or stopped on this program's device.
    case triggerStream(isActive: Bool)
    /// Another program's short spoken prompt started or ended.
    case promptStream(isActive: Bool)
    /// The connection to the sound server failed.
    case serverLost
    /// The connection to the sound server was established again.
    case serverReconnected

    /// The cause of a change of output.
    public enum OutputCause: Sendable, Hashable {
        /// The active port of the sink became unavailable, or the sink was removed.
        case removed
        /// A port or a sink was added, and the stream moved to the new port or sink.
        case added
        /// A user moved the stream to another sink with a mixer program.
        case movedByUser
        /// The port or the format of the same sink changed.
        case configured
    }
}

/// A source of system signals. Sources are adapters (of PulseAudio's subscription, of logind); a test uses a source of its own.
public protocol SystemEvents: AnyObject, Sendable {
    /// Starts reporting system signals. The source may call `report` on any thread, but never concurrently. The function `start` is called once.
    func start(_ report: @escaping @Sendable (SystemSignal) -> Void)
    /// Stops reporting system signals. No signal is reported after `stop` has returned.
    func stop()
}

/// The pure translation of system signals to events of an audio session (R-LNX-21…36).
struct AudioPolicy {
    private var isServerLost = false

    /// Returns the events that a signal causes in a session with the configuration `settings`.
    mutating func events(for signal: SystemSignal, _ settings: SessionSettings) -> [AVAudioSession.AudioSessionEvent] {
        switch signal {
        case .streamEvent("request-cork"):
            // R-LNX-21: a session whose category always mixes does not pause when the sound server requests it. The server mutes the stream itself.
            return settings.category == .ambient ? [] : [.interruptionBegan(.default)]
        case .streamEvent("request-uncork"): return [.interruptionEnded(shouldResume: true)]
        case .streamEvent: return []
        case .sinkSuspended(true), .streamKilled: return [.interruptionBegan(.default)]
        case .sinkSuspended(false): return [.interruptionEnded(shouldResume: true)]
        case .prepareForSleep(true): return [.interruptionBegan(.default)]
        // R-LNX-26: playback does not resume automatically after the machine has slept.
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
