public import Foundation

/// What happens to the program's sound.
extension AVAudioSession {
    /// Something outside happened to it. `SystemEvents` tell of it in the system's words; so may tests, in these.
    public enum AudioSessionEvent: Sendable, Hashable {
        /// `byOtherProgram`: by one that wants the output for itself, which a session that mixes does not mind (R-INT-05).
        case interruptionBegan(InterruptionReason, byOtherProgram: Bool = false)
        case interruptionEnded(shouldResume: Bool)
        /// Nil leaves the route as it is known.
        case routeChanged(RouteChangeReason, AVAudioSessionRouteDescription? = nil)
        /// A call has the device, or has it no longer.
        case callChanged(isActive: Bool)
        /// Another program speaks a short prompt, or has spoken it (R-SES-11).
        case promptChanged(isActive: Bool)
        case otherAudioChanged(isPlaying: Bool, isPrimary: Bool)
        case outputVolumeChanged(Float)
        /// Frames a second, and seconds.
        case hardwareChanged(sampleRate: Double, ioBufferDuration: Double)
        case screenLocked(Bool)
        case mediaServicesLost
        case mediaServicesReset
    }

    /// Where sound goes, as far as that was told (R-ROUTE-05). Observable.
    public var currentRoute: AVAudioSessionRouteDescription {
        hub.access(.currentRoute)
        return facts.route
    }
    /// The volume of the output device, 0…1; observable (R-HW-01). The players' own volumes count on top of it.
    public var outputVolume: Float {
        hub.access(.outputVolume)
        return facts.volume
    }
    /// Whether another program sounds, whatever it is (R-HINT-01).
    public var isOtherAudioPlaying: Bool {
        hub.access(.isOtherAudioPlaying)
        return facts.isOtherAudioPlaying
    }
    /// Whether another program's primary sound wants yours to be silent where that is secondary (R-HINT-01).
    public var secondaryAudioShouldBeSilencedHint: Bool {
        hub.access(.isOtherAudioPlaying)
        return facts.isPrimaryAudioPlaying
    }
    /// Frames a second of the device, 0 until that was told (R-HW-02).
    public var sampleRate: Double {
        hub.access(.hardware)
        return facts.sampleRate
    }
    /// Seconds of the device's buffer, 0 until that was told (R-HW-02).
    public var ioBufferDuration: TimeInterval {
        hub.access(.hardware)
        return facts.bufferDuration
    }

    /// Lets it happen: players first, then the notification, in one turn of the main actor (R-RDC-05, J-9).
    public func handle(_ event: AudioSessionEvent) {
        demandMainQueue()
        MainTurn.perform {
            switch event {
            case .interruptionBegan(let reason, let byOtherProgram):
                if !(byOtherProgram && settings.isMixable) { beginInterruption(reason) }
            case .interruptionEnded(let shouldResume): endInterruption(shouldResume: shouldResume)
            case .routeChanged(let reason, let route): changeRoute(reason, route)
            case .callChanged(let isActive): facts.isCallActive = isActive
            case .promptChanged(let isActive):
                // Others are only ducked meanwhile, by the server.
                guard settings.mode == .spokenAudio else { break }
                if isActive { beginInterruption(.default) } else { endInterruption(shouldResume: true) }
            case .otherAudioChanged(let isPlaying, let isPrimary): changeOthers(isPlaying: isPlaying, isPrimary: isPlaying && isPrimary)
            case .outputVolumeChanged(let volume):
                let clamped = volume.isNaN ? facts.volume : min(1, max(0, volume))
                if clamped != facts.volume { hub.change([.outputVolume]) { facts.volume = clamped } }
            case .hardwareChanged(let sampleRate, let duration):
                guard sampleRate.isFinite, duration.isFinite, sampleRate >= 0, duration >= 0 else { break }
                guard (sampleRate, duration) != (facts.sampleRate, facts.bufferDuration) else { break }
                hub.change([.hardware]) { (facts.sampleRate, facts.bufferDuration) = (sampleRate, duration) }
            case .screenLocked(let isLocked):
                facts.isLocked = isLocked
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
        // R-INT-02: at the notification the session is inactive already.
        change(isActive: false, isInterrupted: true)
        tell(Self.interruptionNotification) {
            [AVAudioSessionInterruptionTypeKey: InterruptionType.began.rawValue, AVAudioSessionInterruptionReasonKey: reason.rawValue]
        }
    }

    private func endInterruption(shouldResume: Bool) {
        guard interrupted else { return }
        change(isActive: active, isInterrupted: false)
        for player in livePlayers { player.apply(.interruptionEnded(shouldResume: shouldResume)) }
        let options: InterruptionOptions = shouldResume ? .shouldResume : []
        tell(Self.interruptionNotification) {
            [AVAudioSessionInterruptionTypeKey: InterruptionType.ended.rawValue, AVAudioSessionInterruptionOptionKey: options.rawValue]
        }
    }

    // MARK: Routes

    private func changeRoute(_ reason: RouteChangeReason, _ route: AVAudioSessionRouteDescription?) {
        let previous = facts.route
        if let route, route != previous { hub.change([.currentRoute]) { facts.route = route } }
        // R-ROUTE-03: the headphones are gone, the music does not go on aloud.
        if reason == .oldDeviceUnavailable {
            if active, prefersInterruptionOnRouteDisconnect {
                beginInterruption(.routeDisconnected)
            } else {
                for player in livePlayers { player.apply(.routeLost) }
            }
        }
        postRouteChange(reason, previous: previous)
    }

    /// R-ROUTE-02: not on the main thread, and when the main actor has been told everything.
    func postRouteChange(_ reason: RouteChangeReason, previous: AVAudioSessionRouteDescription) {
        MainTurn.tell { [self] in
            routeQueue.async { [self] in
                NotificationCenter.default.post(
                    name: Self.routeChangeNotification, object: self,
                    userInfo: [AVAudioSessionRouteChangeReasonKey: reason.rawValue, AVAudioSessionRouteChangePreviousRouteKey: previous])
            }
        }
    }

    // MARK: Others

    private func changeOthers(isPlaying: Bool, isPrimary: Bool) {
        guard (isPlaying, isPrimary) != (facts.isOtherAudioPlaying, facts.isPrimaryAudioPlaying) else { return }
        let changesHint = isPrimary != facts.isPrimaryAudioPlaying
        hub.change([.isOtherAudioPlaying]) { (facts.isOtherAudioPlaying, facts.isPrimaryAudioPlaying) = (isPlaying, isPrimary) }
        guard changesHint, active else { return }
        let type: SilenceSecondaryAudioHintType = isPrimary ? .begin : .end
        tell(Self.silenceSecondaryAudioHintNotification) { [AVAudioSessionSilenceSecondaryAudioHintTypeKey: type.rawValue] }
    }

    // MARK: The audio service

    private func loseServices() {
        facts.isServiceLost = true
        for player in livePlayers { player.apply(.outputFailed) }
        tell(Self.mediaServicesWereLostNotification) { nil }
    }

    /// R-MSR-01: every player there is, is dead, and the session is as new; who observes it stays.
    private func resetServices() {
        facts = Facts()
        for player in livePlayers { player.servicesWereReset() }
        change(isActive: false, isInterrupted: false)
        apply(SessionSettings())
        tell(Self.mediaServicesWereResetNotification) { nil }
    }

    private func tell(_ name: Notification.Name, _ userInfo: @escaping () -> [AnyHashable: Any]?) {
        MainTurn.tell { [self] in NotificationCenter.default.post(name: name, object: self, userInfo: userInfo()) }
    }
}
