public import Foundation

extension AVAudioSession {
    /// An event that concerns the program's audio. `SystemEvents` report in the terms of the operating system (`SystemSignal`); tests may
    /// send events directly.
    public enum AudioSessionEvent: Sendable, Hashable {
        /// `byOtherProgram`: another program claims the output for itself. A session that mixes ignores that (R-INT-05).
        case interruptionBegan(InterruptionReason, byOtherProgram: Bool = false)
        case interruptionEnded(shouldResume: Bool)
        /// A change of the route, or an event that concerns it, such as that the machine has woken; nil if the known route does not change.
        case routeChanged(RouteChangeReason, AVAudioSessionRouteDescription? = nil)
        /// A phone call begins or ends to use the device.
        case callChanged(isActive: Bool)
        /// Another program's short spoken prompt begins or ends (R-SES-11).
        case promptChanged(isActive: Bool)
        case otherAudioChanged(isPlaying: Bool, isPrimary: Bool)
        case outputVolumeChanged(Float)
        /// The sample rate is in frames per second, the buffer's duration in seconds.
        case hardwareChanged(sampleRate: Double, ioBufferDuration: Double)
        case screenLocked(Bool)
        case mediaServicesLost
        case mediaServicesReset
    }

    /// The route that was reported last (R-ROUTE-05). Observable.
    public var currentRoute: AVAudioSessionRouteDescription {
        hub.access(.currentRoute)
        return facts.route
    }
    /// The volume of the device, 0…1 (R-HW-01). Observable. The gain of a player (`AVPlayer.volume`) is applied in addition.
    public var outputVolume: Float {
        hub.access(.outputVolume)
        return facts.volume
    }
    /// Whether another program plays audio (R-HINT-01).
    public var isOtherAudioPlaying: Bool {
        hub.access(.isOtherAudioPlaying)
        return facts.isOtherAudioPlaying
    }
    /// Whether another program plays primary audio (music, video, a call; R-HINT-01).
    public var secondaryAudioShouldBeSilencedHint: Bool {
        hub.access(.isOtherAudioPlaying)
        return facts.isPrimaryAudioPlaying
    }
    /// The sample rate in frames per second; 0 until it has been reported (R-HW-02).
    public var sampleRate: Double {
        hub.access(.hardware)
        return facts.sampleRate
    }
    /// The duration of the device's buffer in seconds; 0 until it has been reported (R-HW-02).
    public var ioBufferDuration: TimeInterval {
        hub.access(.hardware)
        return facts.bufferDuration
    }

    /// Handles an event in one turn of the main actor: the players change first, then the notification is posted (R-RDC-05, J-9).
    public func handle(_ event: AudioSessionEvent) {
        demandMainQueue()
        MainTurn.perform {
            switch event {
            case .interruptionBegan(let reason, let byOtherProgram):
                if !(byOtherProgram && settings.isMixable) { beginInterruption(reason) }
            case .interruptionEnded(let shouldResume): endInterruption(shouldResume: shouldResume)
            case .routeChanged(let reason, let route): changeRoute(reason, route)
            case .callChanged(let isActive): report { $0.isCallActive = isActive }
            case .promptChanged(let isActive):
                // In other modes the sound server lowers the volume during a prompt.
                guard settings.mode == .spokenAudio else { break }
                if isActive { beginInterruption(.default) } else { endInterruption(shouldResume: true) }
            case .otherAudioChanged(let isPlaying, let isPrimary): changeOthers(isPlaying: isPlaying, isPrimary: isPlaying && isPrimary)
            case .outputVolumeChanged(let volume):
                let clamped = volume.isNaN ? facts.volume : min(1, max(0, volume))
                if clamped != facts.volume { report([.outputVolume]) { $0.volume = clamped } }
            case .hardwareChanged(let sampleRate, let duration):
                guard sampleRate.isFinite, duration.isFinite, sampleRate >= 0, duration >= 0 else { break }
                guard (sampleRate, duration) != (facts.sampleRate, facts.bufferDuration) else { break }
                report([.hardware]) { ($0.sampleRate, $0.bufferDuration) = (sampleRate, duration) }
            case .screenLocked(let isLocked):
                report { $0.isLocked = isLocked }
                updatePlayers()
            case .mediaServicesLost: loseServices()
            case .mediaServicesReset: resetServices()
            }
        }
    }

    // MARK: Interruptions

    private func beginInterruption(_ reason: InterruptionReason) {
        guard !interrupted else { return }
        for player in livePlayers { player.apply(.interrupted) }
        // R-INT-02: the session is inactive before the notification.
        change(isActive: false, isInterrupted: true)
        post(Self.interruptionNotification) {
            [AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue, AVAudioSessionInterruptionReasonKey: reason.rawValue]
        }
    }

    private func endInterruption(shouldResume: Bool) {
        guard interrupted else { return }
        change(isActive: active, isInterrupted: false)
        for player in livePlayers { player.apply(.interruptionEnded(shouldResume: shouldResume)) }
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        post(Self.interruptionNotification) {
            [AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue, AVAudioSessionInterruptionOptionKey: options.rawValue]
        }
    }

    // MARK: Routes

    private func changeRoute(_ reason: RouteChangeReason, _ route: AVAudioSessionRouteDescription?) {
        let previous = facts.route
        if let route, route != previous { report([.currentRoute]) { $0.route = route } }
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

    /// The notification is posted on another thread than the main thread, after all observers on the main actor (R-ROUTE-02).
    func postRouteChange(_ reason: RouteChangeReason, previous: AVAudioSessionRouteDescription) {
        MainTurn.enqueue { [self] in
            routeQueue.async { [self] in
                NotificationCenter.default.post(
                    name: Self.routeChangeNotification, object: self,
                    userInfo: [AVAudioSessionRouteChangeReasonKey: reason.rawValue, AVAudioSessionRouteChangePreviousRouteKey: previous])
            }
        }
    }

    // MARK: Other programs

    private func changeOthers(isPlaying: Bool, isPrimary: Bool) {
        guard (isPlaying, isPrimary) != (facts.isOtherAudioPlaying, facts.isPrimaryAudioPlaying) else { return }
        let changesHint = isPrimary != facts.isPrimaryAudioPlaying
        report([.isOtherAudioPlaying]) { ($0.isOtherAudioPlaying, $0.isPrimaryAudioPlaying) = (isPlaying, isPrimary) }
        guard changesHint, active else { return }
        let type: SilenceSecondaryAudioHintType = isPrimary ? .begin : .end
        post(Self.silenceSecondaryAudioHintNotification) { [AVAudioSessionSilenceSecondaryAudioHintTypeKey: type.rawValue] }
    }

    // MARK: The audio service

    private func loseServices() {
        report { $0.isServiceLost = true }
        for player in livePlayers { player.apply(.outputFailed) }
        post(Self.mediaServicesWereLostNotification) { nil }
    }

    /// Handles a reset of the audio service (R-MSR-01): all players become unusable, and the session returns to its defaults. Its observers stay.
    private func resetServices() {
        report { $0 = Facts() }
        for player in livePlayers { player.servicesWereReset() }
        change(isActive: false, isInterrupted: false)
        apply(SessionSettings())
        post(Self.mediaServicesWereResetNotification) { nil }
    }

    private func post(_ name: Notification.Name, _ userInfo: @escaping () -> [AnyHashable: Any]?) {
        MainTurn.enqueue { [self] in NotificationCenter.default.post(name: name, object: self, userInfo: userInfo()) }
    }
}
