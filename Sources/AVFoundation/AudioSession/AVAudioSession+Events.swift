public import Foundation
import PlaybackEngine

extension AVAudioSession {
    /// An event that concerns the program's audio. The players report their own outputs; a program may report other events.
    public enum AudioSessionEvent: Sendable, Hashable {
        case interruptionBegan(InterruptionReason)
        case interruptionEnded(shouldResume: Bool)
        /// A change of the route, or an event that concerns the route, such as that the machine has woken. The second value is the new route; nil if
        /// the known route does not change.
        case routeChanged(RouteChangeReason, AVAudioSessionRouteDescription? = nil)
    }

    /// The route that was reported last (R-ROUTE-05). Observable.
    public var currentRoute: AVAudioSessionRouteDescription { read(.currentRoute) { route } }
    /// The volume of the device that was opened last, 0…1 on the sound server's scale, and 0 while it is muted; 1 before that, and for a device without
    /// a volume (R-HW-01). Observable.
    public var outputVolume: Float { read(.outputVolume) { hardwareVolume } }
    /// Whether another program plays to which the sound server gives precedence, such as a call. Other programs, whose audio the server mixes with
    /// this one's, are not known (R-HINT-01). Observable.
    public var isOtherAudioPlaying: Bool { read(.otherAudio) { !yielders.isEmpty } }
    /// Whether the sound server has asked a player to make way for another program, such as a call (R-HINT-01). Observable.
    public var secondaryAudioShouldBeSilencedHint: Bool { read(.otherAudio) { !yielders.isEmpty } }
    /// The rate of the device that was opened last, in frames per second; 0 before that, and for an output without a rate (R-HW-02). Observable.
    public var sampleRate: Double { read(.sampleRate) { hardwareRate } }
    /// The time between two requests of the sound server or the device for audio, in seconds; 0 before an output is open, and for one without a
    /// buffer of its own; the longest if the players have several outputs (R-HW-02).
    public var ioBufferDuration: TimeInterval {
        Turn.perform { livePlayers.map { $0.engine.clock?.requestInterval ?? 0 }.max() ?? 0 }
    }
    /// The time from the sound server's taking of a frame until it is heard, in seconds, as it was measured last during playback: that of Bluetooth
    /// and AirPlay is long. 0 before that, and for an output that has none; the longest if the players have several outputs. The players' positions
    /// have it already (R-HW-02).
    public var outputLatency: TimeInterval {
        Turn.perform { livePlayers.map { $0.engine.clock?.outputLatency ?? 0 }.max() ?? 0 }
    }

    /// Handles an event in one turn: the players change first, then the notification is posted (R-RDC-05, J-9).
    public func handle(_ event: AudioSessionEvent) {
        turn {
            switch event {
            case .interruptionBegan(let reason): beginInterruption(reason)
            case .interruptionEnded(let shouldResume): endInterruption(shouldResume: shouldResume)
            case .routeChanged(let reason, let route): changeRoute(reason, route)
            }
        }
    }

    // MARK: Interruptions

    @Turn private func beginInterruption(_ reason: InterruptionReason) {
        guard !interrupted else { return }
        for player in livePlayers { player.apply(.interrupted) }
        // R-INT-02: the session is inactive before the notification.
        change(isActive: false, isInterrupted: true)
        Turn.post(
            Self.interruptionNotification, from: self,
            [AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue, AVAudioSessionInterruptionReasonKey: reason.rawValue])
    }

    @Turn private func endInterruption(shouldResume: Bool) {
        guard interrupted else { return }
        change(isActive: active, isInterrupted: false)
        for player in livePlayers { player.apply(.interruptionEnded(shouldResume: shouldResume)) }
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        Turn.post(
            Self.interruptionNotification, from: self,
            [AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue, AVAudioSessionInterruptionOptionKey: options.rawValue])
    }

    // MARK: Routes

    @Turn private func changeRoute(_ reason: RouteChangeReason, _ new: AVAudioSessionRouteDescription?) {
        let previous = route
        if let new { setRoute(new) }
        // R-ROUTE-03: after headphones are unplugged, playback must not continue on loudspeakers.
        if reason == .oldDeviceUnavailable {
            if active, prefersInterruptionOnRouteDisconnect {
                beginInterruption(.routeDisconnected)
            } else {
                for player in livePlayers { player.apply(.routeLost) }
            }
        }
        postRouteChange(reason, previous: previous)
    }

    /// The notification is posted on another thread than the main thread, after all observers on the main queue (R-ROUTE-02).
    @Turn func postRouteChange(_ reason: RouteChangeReason, previous: AVAudioSessionRouteDescription) {
        Turn.enqueueOnMain { [self] in
            routeQueue.async { [self] in
                NotificationCenter.default.post(
                    name: Self.routeChangeNotification, object: self,
                    userInfo: [AVAudioSessionRouteChangeReasonKey: reason.rawValue, AVAudioSessionRouteChangePreviousRouteKey: previous])
            }
        }
    }
}
