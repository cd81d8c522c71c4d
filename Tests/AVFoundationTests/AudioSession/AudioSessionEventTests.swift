import Dispatch
import Foundation
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// A source of system events that sends the signals that the test passes to `tell`.
private final class FakeSystem: SystemEvents {
    private let handler = Mutex<(@Sendable (SystemSignal) -> Void)?>(nil)
    var isStarted: Bool { handler.withLock { $0 != nil } }
    func start(_ report: @escaping @Sendable (SystemSignal) -> Void) { handler.withLock { $0 = report } }
    func stop() { handler.withLock { $0 = nil } }
    func send(_ signal: SystemSignal) { handler.withLock { $0 }?(signal) }
}

@Suite("AVAudioSession: events") @MainActor struct AudioSessionEventTests {
    let rig = ScriptedRig()
    let log = Recorder()
    private let system = FakeSystem()
    var session: AVAudioSession { rig.session }

    func player() -> AVPlayer { rig.playingPlayer() }
    func route(_ type: AVAudioSession.Port) -> AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(outputs: [AVAudioSessionPortDescription(portType: type, portName: type.rawValue, uid: "sink.1")])
    }
    func send(_ signal: SystemSignal) {
        system.send(signal)
        rig.run()
        session.routeQueue.sync {}
    }
    func observe() {
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") { notification in
            "\(notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt ?? 9)"
                + "\((notification.userInfo?[AVAudioSessionInterruptionReasonKey] as? UInt).map { " because \($0)" } ?? "")"
                + "\((notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt).map { " options \($0)" } ?? "")"
        }
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") { notification in
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            return "\(notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 9) from \(previous?.outputs.first?.portName ?? "-")"
        }
        log.observe(AVAudioSession.silenceSecondaryAudioHintNotification, session, as: "hint") {
            "\($0.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt ?? 9)"
        }
        log.observe(AVAudioSession.mediaServicesWereLostNotification, session, as: "lost") { "\($0.userInfo?.count ?? 0)" }
        log.observe(AVAudioSession.mediaServicesWereResetNotification, session, as: "reset") { "\($0.userInfo?.count ?? 0)" }
    }

    // MARK: Interruptions

    @Test("the reason of an interruption is sent only with its beginning, with Apple's raw values (R-INT-04)")
    func reasons() {
        let numbers = [AVAudioSession.InterruptionReason.default, .appWasSuspended, .builtInMicMuted, .routeDisconnected].map(\.rawValue)
        #expect(numbers == [0, 1, 2, 4])
        observe()
        session.handle(.interruptionBegan(.builtInMicMuted))
        session.handle(.interruptionEnded(shouldResume: true))
        #expect(log.log == ["interruption1 because 2", "interruption0 options 1"])
    }

    @Test("another program interrupts only a session that does not mix; the system interrupts any (R-INT-05, R-SES-13)")
    func mixing() throws {
        let player = player()
        try session.setCategory(.playback, options: .mixWithOthers)
        session.handle(.interruptionBegan(.default, byOtherProgram: true))
        #expect(player.rate == 1)
        try session.setCategory(.playback, options: .duckOthers)
        session.handle(.interruptionBegan(.default, byOtherProgram: true))
        #expect(player.rate == 1, "ducking implies mixing")
        try session.setCategory(.ambient)
        session.handle(.interruptionBegan(.default, byOtherProgram: true))
        #expect(player.rate == 1)
        session.handle(.interruptionBegan(.default))
        #expect(player.rate == 0)
        session.handle(.interruptionEnded(shouldResume: true))
        try session.setCategory(.playback)
        session.handle(.interruptionBegan(.default, byOtherProgram: true))
        #expect(player.rate == 0)
    }

    @Test("spoken audio pauses during another program's prompt and resumes after it; music is only ducked (R-SES-11)")
    func prompts() throws {
        let player = player()
        try session.setCategory(.playback, mode: .spokenAudio)
        session.handle(.promptChanged(isActive: true))
        #expect(player.rate == 0)
        session.handle(.promptChanged(isActive: false))
        #expect(player.rate == 1)
        try session.setCategory(.playback)
        session.handle(.promptChanged(isActive: true))
        #expect(player.rate == 1)
    }

    // MARK: Routes

    @Test("route change reasons have Apple's raw values, and the notification has the reason and the previous route (R-ROUTE-01)")
    func routeReasons() {
        typealias Reason = AVAudioSession.RouteChangeReason
        let reasons: [Reason] = [
            .unknown, .newDeviceAvailable, .oldDeviceUnavailable, .categoryChange, .override, .wakeFromSleep, .noSuitableRouteForCategory,
            .routeConfigurationChange,
        ]
        #expect(reasons.map(\.rawValue) == [0, 1, 2, 3, 4, 6, 7, 8])
        observe()
        session.handle(.routeChanged(.newDeviceAvailable, route(.headphones)))
        session.handle(.routeChanged(.override, route(.lineOut)))
        session.routeQueue.sync {}
        #expect(log.log == ["route1 from -", "route4 from Headphones"])
    }

    @Test("route changes are posted off the main queue, interruptions on it (R-ROUTE-02, R-INT-01, section K 14)")
    func threads() {
        let key = DispatchSpecificKey<Bool>()
        session.routeQueue.setSpecific(key: key, value: true)
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") { _ in DispatchQueue.getSpecific(key: key) == true ? " off" : " on"
        }
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") { _ in
            dispatchPrecondition(condition: .onQueue(.main))
            return " on"
        }
        session.handle(.routeChanged(.newDeviceAvailable))
        session.routeQueue.sync {}
        session.handle(.interruptionBegan(.default))
        #expect(log.log == ["route off", "interruption on"])
    }

    @Test("by default a removed headphone causes an interruption with its reason, then a route change (R-ROUTE-03, R-ROUTE-04, R-RDC-04, R-RDC-06)")
    func disconnect() {
        let player = player()
        #expect(session.prefersInterruptionOnRouteDisconnect)
        session.handle(.routeChanged(.newDeviceAvailable, route(.headphones)))
        session.routeQueue.sync {}
        #expect(player.rate == 1, "a new device does not pause")
        log.observeTransport(player)
        observe()
        session.handle(.routeChanged(.oldDeviceUnavailable, route(.builtInSpeaker)))
        session.routeQueue.sync {}
        #expect(
            log.log == [
                "rate=0.0", "status=paused", "rateDidChange(AudioSessionInterrupted)", "interruption1 because 4", "route2 from Headphones",
            ])
        #expect(session.currentRoute == route(.builtInSpeaker))
    }

    @Test("if prefersInterruptionOnRouteDisconnect is false, the removal only pauses, without a reason (R-ROUTE-03, R-ROUTE-04, R-RDC-04)")
    func barePause() throws {
        let player = player()
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        log.observeTransport(player)
        observe()
        session.handle(.routeChanged(.oldDeviceUnavailable))
        session.routeQueue.sync {}
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(no reason)", "route2 from -"])
        #expect(session.isActive && !session.isInterrupted)
    }

    @Test("currentRoute has the ports with type, name, uid and channels, and is observable (R-ROUTE-05)")
    func ports() {
        log.observe(session, "outputs", \.currentRoute.outputs.count)
        let channel = AVAudioSessionChannelDescription(channelName: "Left", owningPortUID: "sink.1", channelNumber: 1)
        let port = AVAudioSessionPortDescription(portType: .usbAudio, portName: "DAC", uid: "sink.1", channels: [channel])
        session.handle(.routeChanged(.newDeviceAvailable, AVAudioSessionRouteDescription(outputs: [port])))
        #expect(log.log == ["outputs=1"] && session.currentRoute.inputs.isEmpty)
        #expect(session.currentRoute.outputs.first?.channels?.first?.channelName == "Left")
    }

    @Test("the port type is derived from the properties of a PulseAudio sink (R-LNX-07, R-LNX-38, R-ROUTE-05)")
    func pulsePorts() {
        func port(_ type: String?, _ driver: String = "module-alsa-card.c", _ bus: String? = "pci") -> AVAudioSession.Port {
            AVAudioSession.Port(pulsePortType: type, driver: driver, bus: bus)
        }
        #expect(port("Speaker") == .builtInSpeaker && port("Headphones") == .headphones && port("HDMI") == .HDMI && port("Line") == .lineOut)
        #expect(
            port("Headset", "module-bluez5-device.c", "bluetooth") == .bluetoothHFP
                && port(nil, "module-bluez5-device.c", "bluetooth") == .bluetoothA2DP)
        #expect(port("Analog", "module-alsa-card.c", "usb") == .usbAudio && port(nil, "module-raop-sink.c", nil) == .airPlay)
        #expect(port(nil, "module-null-sink.c", nil) == .virtual && port(nil) == .lineOut)
        #expect(AVAudioSession.Port.headphones.isWorn && AVAudioSession.Port.bluetoothA2DP.isWorn && !AVAudioSession.Port.builtInSpeaker.isWorn)
    }

    // MARK: Hints and hardware

    @Test("primary audio of another program begins (1) and ends (0) a hint to an active session; other audio is only reported (R-HINT-01)")
    func hints() throws {
        observe()
        session.handle(.otherAudioChanged(isPlaying: true, isPrimary: true))
        #expect(log.log == [] && session.secondaryAudioShouldBeSilencedHint, "it is not active")
        session.handle(.otherAudioChanged(isPlaying: false, isPrimary: false))
        try session.setActive(true)
        session.handle(.otherAudioChanged(isPlaying: true, isPrimary: false))
        #expect(log.log == [] && session.isOtherAudioPlaying && !session.secondaryAudioShouldBeSilencedHint)
        session.handle(.otherAudioChanged(isPlaying: true, isPrimary: true))
        session.handle(.otherAudioChanged(isPlaying: false, isPrimary: true))
        #expect(log.log == ["hint1", "hint0"])
        #expect(!session.isOtherAudioPlaying && !session.secondaryAudioShouldBeSilencedHint)
    }

    @Test("outputVolume is the device's volume from 0 to 1, observable and read-only (R-HW-01)")
    func volume() {
        log.observe(session, "volume", \.outputVolume)
        session.handle(.outputVolumeChanged(0.5))
        session.handle(.outputVolumeChanged(0.5))
        session.handle(.outputVolumeChanged(7))
        session.handle(.outputVolumeChanged(.nan))
        #expect(log.log == ["volume=0.5", "volume=1.0"])
    }

    @Test("a preferred sample rate or buffer duration is only a request; the actual values are the device's (R-HW-02)")
    func hardware() throws {
        try session.setPreferredSampleRate(96_000)
        try session.setPreferredIOBufferDuration(0.005)
        try session.setActive(true)
        session.handle(.hardwareChanged(sampleRate: 48_000, ioBufferDuration: 0.02))
        session.handle(.hardwareChanged(sampleRate: .nan, ioBufferDuration: -1))
        #expect(session.preferredSampleRate == 96_000 && session.preferredIOBufferDuration == 0.005)
        #expect(session.sampleRate == 48_000 && session.ioBufferDuration == 0.02)
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setPreferredSampleRate(-1) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setPreferredIOBufferDuration(.infinity) }
    }

    // MARK: The audio service

    @Test("if media services are lost, players stop, and the session cannot be activated before the reset (R-MSR-01, R-SES-20)")
    func lost() throws {
        let player = player()
        observe()
        session.handle(.mediaServicesLost)
        #expect(log.log == ["lost0"] && player.rate == 0)
        try? session.setActive(false)
        #expect(throws: AVAudioSession.ErrorCode.mediaServicesFailed) { try session.setActive(true) }
        player.play()
        rig.run()
        #expect(player.rate == 0, "playing cannot activate it either")
        session.handle(.mediaServicesReset)
        try session.setActive(true)
    }

    @Test("after a reset, players and items have failed, the session has its defaults, observers remain, and nothing plays (R-STATUS-10, R-MSR-01)")
    func reset() throws {
        try session.setCategory(.playback)
        let items = [rig.item("a"), rig.item("b")]
        let player = rig.queue(items)
        player.play()
        rig.advance(1)
        observe()
        log.observeTransport(player)
        session.handle(.mediaServicesLost)
        session.handle(.mediaServicesReset)
        rig.run()
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(SetRateFailed)", "lost0", "reset0"])
        #expect(items.allSatisfy { $0.status == .failed && ($0.error as? AVError)?.code == .mediaServicesWereReset })
        #expect(player.status == .failed && (player.error as? AVError)?.code.rawValue == -11819)
        #expect(session.category == .soloAmbient && !session.isActive)
        #expect(player.currentTime() == ms(1_000))
        player.play()
        player.replaceCurrentItem(with: rig.item("c"))
        player.play()
        rig.advance(1)
        #expect(player.rate == 0 && player.status == .failed, "the old player cannot play again")
        let other = self.player()
        #expect(other.timeControlStatus == .playing, "a new player plays")
        session.handle(.interruptionBegan(.default))
        #expect(log.log.last == "interruption1 because 0")
    }

    // MARK: System signals

    @Test("each system signal is mapped to its session events (R-LNX-25…36)")
    func mapping() {
        typealias Event = AVAudioSession.AudioSessionEvent
        var policy = AudioPolicy()
        let settings = SessionSettings()
        func events(_ signal: SystemSignal) -> [Event] { policy.events(for: signal, settings) }
        let (speaker, headphones) = (route(.builtInSpeaker), route(.headphones))
        #expect(events(.streamEvent("request-cork")) == [.interruptionBegan(.default)])
        #expect(events(.streamEvent("request-uncork")) == [.interruptionEnded(shouldResume: true)])
        #expect(events(.streamKilled) == [.interruptionBegan(.default)])
        #expect(events(.prepareForSleep(true)) == [.interruptionBegan(.default)])
        #expect(events(.prepareForSleep(false)) == [.interruptionEnded(shouldResume: false), .routeChanged(.wakeFromSleep)])
        #expect(events(.outputChanged(speaker, by: .removed)) == [.routeChanged(.oldDeviceUnavailable, speaker)])
        #expect(events(.outputChanged(headphones, by: .added)) == [.routeChanged(.newDeviceAvailable, headphones)])
        #expect(events(.outputChanged(speaker, by: .movedByUser)) == [.routeChanged(.override, speaker)])
        #expect(events(.outputChanged(speaker, by: .configured)) == [.routeChanged(.routeConfigurationChange, speaker)])
        #expect(events(.onlyNullOutputLeft) == [.routeChanged(.noSuitableRouteForCategory, AVAudioSessionRouteDescription())])
        #expect(events(.sinkVolume(1.5)) == [.outputVolumeChanged(1)] && events(.sinkVolume(.nan)).isEmpty)
        #expect(events(.otherStreams(["game", ""])) == [.otherAudioChanged(isPlaying: true, isPrimary: false)])
        #expect(events(.otherStreams(["phone"])) == [.otherAudioChanged(isPlaying: true, isPrimary: true)])
        #expect(events(.otherStreams([])) == [.otherAudioChanged(isPlaying: false, isPrimary: false)])
        #expect(events(.triggerStream(isActive: true)) == [.callChanged(isActive: true)])
        #expect(events(.promptStream(isActive: false)) == [.promptChanged(isActive: false)])
        #expect(events(.sessionLocked(true)) == [.screenLocked(true)])
        #expect(events(.serverReconnected).isEmpty, "nothing had been lost")
        #expect(events(.serverLost) == [.mediaServicesLost] && events(.serverLost).isEmpty && events(.serverReconnected) == [.mediaServicesReset])
    }

    @Test("unknown stream events are ignored, and a cork request does not pause ambient audio (R-LNX-04, R-LNX-21)")
    func unknownEvents() {
        var policy = AudioPolicy()
        for name in ["", "request-corks", "format-lost", "\u{0}"] { #expect(policy.events(for: .streamEvent(name), SessionSettings()).isEmpty) }
        #expect(policy.events(for: .streamEvent("request-cork"), SessionSettings(category: .ambient)).isEmpty)
    }

    @Test("without cork requests, a suspended sink still causes an interruption (R-LNX-05, R-LNX-25, section K 18)")
    func withoutCork() {
        session.listen(to: system, on: rig.scheduler)
        let player = player()
        observe()
        send(.sinkSuspended(true))
        #expect(player.rate == 0)
        send(.sinkSuspended(false))
        #expect(player.rate == 1)
        #expect(log.log == ["interruption1 because 0", "interruption0 options 1"])
    }

    @Test("signals of a source are handled while the session listens to it (R-LNX-25, R-LNX-26)")
    func source() {
        session.listen(to: system, on: rig.scheduler)
        let player = player()
        send(.prepareForSleep(true))
        #expect(player.rate == 0 && session.isInterrupted)
        send(.prepareForSleep(false))
        #expect(player.rate == 0 && !session.isInterrupted, "after a sleep nothing begins by itself")
        session.listen(to: nil, on: rig.scheduler)
        #expect(!system.isStarted)
    }
}
