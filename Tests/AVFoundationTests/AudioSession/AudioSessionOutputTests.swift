import Dispatch
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

/// Events of a player's own output.
@Suite("AVAudioSession: output") @MainActor struct AudioSessionOutputTests {
    let rig = ScriptedRig()
    let log = Recorder()
    var session: AVAudioSession { rig.session }

    private let speaker = OutputDescription(
        kind: "pulse", id: "analog", name: "Built-in", connector: OutputConnector(portType: "Speaker", driver: "module-alsa-card.c", bus: "pci"))
    private let worn = OutputDescription(
        kind: "pulse", id: "head", name: "Headset", connector: OutputConnector(portType: "Headphones", driver: "module-alsa-card.c", bus: "usb"))
    private let silence = OutputDescription(kind: "null", id: "", name: "No sound")

    private func player() -> AVPlayer {
        let player = rig.playingPlayer()
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") { notification in
            let previous = notification.userInfo?[AVAudioSessionRouteChangePreviousRouteKey] as? AVAudioSessionRouteDescription
            return "\(notification.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 9) from \(previous?.outputs.first?.portName ?? "-")"
        }
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") {
            "\($0.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt ?? 9)"
        }
        return player
    }
    private func send(_ output: OutputDescription, isAudible: Bool = true, by cause: OutputChangeCause) {
        send(.outputChanged(output, format: .compactDisc, isAudible: isAudible, by: cause))
    }
    private func send(_ event: EngineEvent) {
        rig.engine.emit(event)
        rig.run()
        session.routeQueue.sync {}
    }

    @Test("the first output sets the route, by its port, and is not a route change (R-ROUTE-05)")
    func first() {
        let player = player()
        send(worn, by: .opened)
        #expect(
            session.currentRoute.outputs == [AVAudioSessionPortDescription(portType: .headphones, portName: "Headset", uid: "head")] && log.log == [])
        send(worn, by: .opened)
        #expect(log.log == [] && player.rate == 1)
    }

    @Test("the session has the rate of the device that was opened last, and reports its change (R-HW-02)")
    func sampleRate() {
        let player = player()
        log.observe(session, "rate", \.sampleRate)
        var output = speaker
        for rate in [48_000, 48_000, 96_000] {
            output.device = DeviceFormat(sampleRate: rate, channels: 2)
            send(output, by: .opened)
        }
        send(silence, isAudible: false, by: .chosen)
        #expect(log.log.filter { $0.hasPrefix("rate=") } == ["rate=48000.0", "rate=96000.0", "rate=0.0"])
        #expect(player.rate == 1)
    }

    @Test("the session has the latency that the output has measured and the duration of its buffer, while it is open (R-HW-02)")
    func latency() {
        #expect(session.outputLatency == 0)
        let player = player()
        #expect(session.outputLatency == 0)
        (rig.engine.sink.latency, rig.engine.sink.requestInterval) = (0.18, 0.9)
        #expect(session.outputLatency == 0.18 && session.ioBufferDuration == 0.9 && player.rate == 1)
        rig.engine.clock.publish(sink: nil)
        #expect(session.outputLatency == 0 && session.ioBufferDuration == 0)
    }

    @Test("the session has the volume of the device, and reports its change (R-HW-01)")
    func outputVolume() {
        let player = player()
        log.observe(session, "volume", \.outputVolume)
        #expect(session.outputVolume == 1)
        rig.engine.sink.deviceVolume = 0.5
        send(speaker, by: .opened)
        rig.engine.sink.deviceVolume = 0.25
        send(.deviceVolumeChanged)
        send(.deviceVolumeChanged)
        #expect(log.log.filter { $0.hasPrefix("volume=") } == ["volume=0.5", "volume=0.25"])
        #expect(session.outputVolume == 0.25 && player.volume == 1)
    }

    @Test("a moved stream or a chosen output overrides the route, and playback continues (R-LNX-29, R-ROUTE-01)")
    func moved() {
        let player = player()
        send(worn, by: .opened)
        send(speaker, by: .moved)
        send(worn, by: .chosen)
        send(silence, isAudible: false, by: .chosen)
        #expect(log.log == ["route4 from Headset", "route4 from Built-in", "route4 from Headset"])
        #expect(session.currentRoute.outputs.map(\.portType) == [.virtual] && player.rate == 1)
    }

    @Test("removal of the device interrupts playback, so that it does not continue on the speaker (R-LNX-27, R-ROUTE-03, R-ROUTE-04)")
    func removed() {
        let player = player()
        send(worn, by: .opened)
        send(speaker, by: .removed)
        #expect(log.log == ["interruption1", "route2 from Headset"] && player.rate == 0)
        #expect(session.currentRoute.outputs.map(\.portType) == [.builtInSpeaker])
    }

    @Test("after the removal of headphones, the end of the machine's sleep does not resume playback on the speaker, and play does (R-ROUTE-03)")
    func removedBeforeSleep() {
        let player = player()
        send(worn, by: .opened)
        send(speaker, by: .removed)
        player.setMachineAsleep(true)
        player.setMachineAsleep(false)
        #expect(player.rate == 0 && session.isInterrupted)
        player.play()
        #expect(player.rate == 1)
    }

    @Test("if headphones are removed during a call, its end does not resume playback on the speaker (R-ROUTE-03)")
    func removedInCall() {
        let player = player()
        send(worn, by: .opened)
        send(.streamSignal(.event("request-cork")))
        send(speaker, by: .removed)
        send(.streamSignal(.event("request-uncork")))
        #expect(player.rate == 0 && !session.isInterrupted)
    }

    @Test("a player's output does not end an interruption that the program has reported")
    func foreignInterruption() {
        let player = player()
        send(speaker, by: .opened)
        session.handle(.interruptionBegan(.default))
        player.setMachineAsleep(true)
        player.setMachineAsleep(false)
        #expect(player.rate == 0 && session.isInterrupted)
        session.handle(.interruptionEnded(shouldResume: true))
        #expect(player.rate == 1)
    }

    @Test("without any device the route is empty; a better output that appears is a new device, and playback continues (R-LNX-31, R-LNX-28)")
    func silent() {
        let player = player()
        send(speaker, by: .opened)
        send(silence, isAudible: false, by: .lost)
        #expect(session.currentRoute.outputs.isEmpty)
        send(speaker, by: .found)
        #expect(log.log == ["route7 from Built-in", "route1 from -"] && player.rate == 1)
    }

    @Test("a lost connection with another output available is a route change of unknown reason, and playback continues")
    func lost() {
        let player = player()
        send(speaker, by: .opened)
        send(worn, by: .lost)
        #expect(log.log == ["route0 from Built-in"] && player.rate == 1)
    }

    @Test("the error of a lost output is known until one is open, and is reported once")
    func outputError() {
        let player = player()
        let gone = PlaybackError(.outputUnavailable, "The device was removed.")
        let none = PlaybackError(.outputUnavailable, "No output is available.")
        var notices: [String] = []
        let token = player.observeNotices { notice in
            switch notice {
            case .motionMayHaveChanged, .volumeAdopted: break
            case .outputLost(let error): notices.append("lost: \(error)")
            case .noOutput(let error): notices.append("none: \(error)")
            case .outputRefused(let error): notices.append("refused: \(error)")
            }
        }
        log.observe(player, "error", \.outputError?.message)
        send(speaker, by: .opened)
        send(.outputLost(gone))
        #expect(player.outputError == gone && player.output == speaker && player.rate == 0)
        send(worn, by: .lost)
        #expect(player.outputError == nil && player.rate == 1)
        send(.outputRefused(none))
        #expect(player.outputError == nil && player.rate == 1)
        send(.outputLost(gone))
        send(.outputFailed(none))
        #expect(player.outputError == none && player.rate == 0)
        let all = [
            "lost: The device was removed.", "refused: No output is available.", "lost: The device was removed.", "none: No output is available.",
        ]
        #expect(notices == all)
        #expect(log.log.count { $0.hasPrefix("error=") } == 4)
        token.cancel()
        send(.outputLost(gone))
        #expect(notices == all)
    }

    @Test(
        "cork requests and, without them, a suspended device are interruptions that end (R-LNX-25, R-LNX-26, R-LNX-02, R-LNX-04, R-LNX-05, section K 18)"
    )
    func interrupted() {
        let player = player()
        for (begin, end) in [
            (StreamSignal.event("request-cork"), StreamSignal.event("request-uncork")), (.suspended(true), .suspended(false)),
        ] {
            send(.streamSignal(begin))
            #expect(player.rate == 0 && session.isInterrupted)
            send(.streamSignal(end))
            #expect(player.rate == 1 && !session.isInterrupted)
        }
        for name in ["", "request-corks", "format-lost", "\u{0}"] { send(.streamSignal(.event(name))) }
        #expect(log.log == ["interruption1", "interruption0", "interruption1", "interruption0"])
    }

    @Test("the server's request to make way for another program is the hint to silence secondary audio, until its end (R-HINT-01)")
    func secondaryAudio() {
        let player = player()
        log.observe(AVAudioSession.silenceSecondaryAudioHintNotification, session, as: "hint") {
            "\($0.userInfo?[AVAudioSessionSilenceSecondaryAudioHintTypeKey] as? UInt ?? 9)"
        }
        let ends: [EngineEvent] = [
            .streamSignal(.event("request-uncork")), .volumeChanged(1, isMuted: false),
            .outputChanged(speaker, format: .compactDisc, isAudible: true, by: .opened),
        ]
        for end in ends {
            send(.streamSignal(.event("request-cork")))
            send(.streamSignal(.event("request-cork")))
            send(.volumeChanged(1, isMuted: true))
            #expect(session.secondaryAudioShouldBeSilencedHint && session.isOtherAudioPlaying && player.rate == 0)
            send(end)
            #expect(!session.secondaryAudioShouldBeSilencedHint && !session.isOtherAudioPlaying && player.rate == 1)
        }
        #expect(log.log.filter { $0.hasPrefix("hint") } == ["hint1", "hint0", "hint1", "hint0", "hint1", "hint0"])
    }

    @Test("ambient audio gets the hint too, and plays on (R-HINT-01, R-LNX-21)")
    func secondaryAmbientAudio() throws {
        let player = player()
        try session.setCategory(.ambient)
        send(.streamSignal(.event("request-cork")))
        send(.volumeChanged(1, isMuted: true))
        #expect(session.secondaryAudioShouldBeSilencedHint && player.rate == 1)
        send(.volumeChanged(1, isMuted: false))
        #expect(!session.secondaryAudioShouldBeSilencedHint)
    }

    @Test("a cork request does not pause ambient audio, and a suspended device does (R-LNX-21, R-LNX-25)")
    func ambient() throws {
        let player = player()
        try session.setCategory(.ambient)
        send(.streamSignal(.event("request-cork")))
        #expect(player.rate == 1 && !session.isInterrupted)
        send(.streamSignal(.suspended(true)))
        #expect(player.rate == 0 && session.isInterrupted)
    }
}
