/// A fact of the machine that concerns the program's sound, in the words of PulseAudio, PipeWire and logind (R-LNX-01…10).
///
/// `AudioPolicy` says what it means to an audio session.
public enum SystemSignal: Sendable, Hashable {
    /// An event of the stream, by its name: `request-cork`, `request-uncork`. PipeWire sends none (R-LNX-05); others are ignored (R-LNX-04).
    case streamEvent(String)
    /// Our sink was suspended by somebody else, or goes on.
    case sinkSuspended(Bool)
    /// Our stream was killed.
    case streamKilled
    /// logind's PrepareForSleep: the machine is about to sleep, or has woken.
    case prepareForSleep(Bool)
    /// logind's Lock and Unlock.
    case sessionLocked(Bool)
    /// What our stream plays to is another, or is otherwise.
    case outputChanged(AVAudioSessionRouteDescription, by: OutputCause)
    /// Nothing but the sink that the server makes up is left.
    case onlyNullOutputLeft
    /// The volume of our sink, linear.
    case sinkVolume(Double)
    /// The roles of the other streams that sound on our sink, empty text for none.
    case otherStreams([String])
    /// A stream of a role for which others are corked (a call) sounds on our device.
    case triggerStream(isActive: Bool)
    /// A short spoken prompt of another program sounds.
    case promptStream(isActive: Bool)
    /// The connection to the sound server failed.
    case serverLost
    /// It stands again.
    case serverReconnected

    /// Why an output changed.
    public enum OutputCause: Sendable, Hashable {
        /// The active port became unavailable, or the sink went away.
        case removed
        /// A port or a sink came, and the stream went to it.
        case added
        /// Somebody moved the stream, in a mixer.
        case movedByUser
        /// Another port or format of the same sink.
        case configured
    }
}

/// Where such facts come from. Sources are adapters (of PulseAudio's subscription, of logind); a test feeds its own.
public protocol SystemEvents: AnyObject, Sendable {
    /// Begins to tell what happens; `tell` may be called from any thread, one call after the other. Called once.
    func start(_ tell: @escaping @Sendable (SystemSignal) -> Void)
    /// Nothing is told after it returns.
    func stop()
}

/// What the facts of the machine mean to an audio session (R-LNX-21…36). Pure.
struct AudioPolicy {
    private var isServerLost = false

    /// What happens to a session with these settings.
    mutating func events(for signal: SystemSignal, _ settings: SessionSettings) -> [AVAudioSession.AudioSessionEvent] {
        switch signal {
        case .streamEvent("request-cork"):
            // R-LNX-21: what mixes with everything does not pause; the server mutes it.
            return settings.category == .ambient ? [] : [.interruptionBegan(.default)]
        case .streamEvent("request-uncork"): return [.interruptionEnded(shouldResume: true)]
        case .streamEvent: return []
        case .sinkSuspended(true), .streamKilled: return [.interruptionBegan(.default)]
        case .sinkSuspended(false): return [.interruptionEnded(shouldResume: true)]
        case .prepareForSleep(true): return [.interruptionBegan(.default)]
        // R-LNX-26: after a sleep nothing begins to sound by itself.
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
