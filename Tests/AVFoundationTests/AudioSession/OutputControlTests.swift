import Foundation
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@testable import AVFoundation

/// What a player does when nobody can hear it.
@Suite("A player and its output") @MainActor struct OutputControlTests {
    /// A sound server whose presence a test reports.
    private final class FakeServer: Sendable {
        private let report = Mutex<(@Sendable (OutputPresence) -> Void)?>(nil)
        var driver: OutputDriver {
            OutputDriver(
                id: "pulse", name: "Server", isAutomatic: true,
                watch: { [self] report in
                    self.report.withLock { $0 = report }
                    return true
                },
                provider: { _ in NullOutputProvider() })
        }
        func appear(_ devices: String...) { report.withLock { $0 }?(.present(devices: Set(devices))) }
    }

    private let server = FakeServer()
    private let rig: ScriptedRig
    private let log = Recorder()
    private let gone = PlaybackError(.outputUnavailable, "Gone.")
    private let speaker = OutputDescription(kind: "pulse", id: "speakers", name: "Speakers")

    init() { rig = ScriptedRig(outputs: [server.driver, .null, .file(path: "/x.wav")]) }

    private func send(_ events: EngineEvent...) {
        for event in events { rig.engine.emit(event) }
        rig.run()
    }
    private func open(by cause: OutputChangeCause, isAudible: Bool = true) -> EngineEvent {
        .outputChanged(speaker, format: .compactDisc, isAudible: isAudible, by: cause)
    }
    /// The causes of the openings that the engine was told.
    private var openings: [OutputChangeCause] {
        rig.engine.commands.compactMap { if case .openOutput(_, let cause) = $0 { cause } else { nil } }
    }
    private func player() -> AVPlayer {
        let player = rig.playingPlayer()
        send(open(by: .opened))
        log.observe(AVAudioSession.interruptionNotification, rig.session, as: "interruption") {
            "\($0.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt ?? 9)"
        }
        return player
    }

    @Test("a lost output interrupts playback, which resumes when the output is open again (R-LNX-34)")
    func lossAndReturn() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        #expect(player.rate == 0 && player.silenceReason == .noOutput && rig.session.isInterrupted)
        #expect(openings == [.lost])
        server.appear()
        rig.run()
        #expect(openings == [.lost, .found] && player.rate == 0)
        send(open(by: .found))
        #expect(player.rate == 1 && player.silenceReason == nil && !rig.session.isInterrupted)
        #expect(log.log == ["interruption1", "interruption0"])
    }

    private func observeMediaServices() {
        for (name, word) in [
            (AVAudioSession.mediaServicesWereLostNotification, "lost"), (AVAudioSession.mediaServicesWereResetNotification, "reset"),
        ] {
            log.observe(name, rig.session, as: "services") { "\($0.userInfo == nil ? word : "with more")" }
        }
    }

    @Test("the loss of the sound server is that of the media services, which are reset when its output is open again (R-MSR-01)")
    func mediaServices() {
        let player = player()
        observeMediaServices()
        send(.outputLost(gone), .outputFailed(gone))
        #expect(log.log.filter { $0.hasPrefix("services") } == ["serviceslost"])
        send(open(by: .found))
        #expect(log.log.filter { $0.hasPrefix("services") } == ["serviceslost", "servicesreset"])
        send(open(by: .opened))
        #expect(log.log.filter { $0.hasPrefix("services") }.count == 2 && player.rate == 1)
    }

    @Test("a file that cannot be written is no loss of the media services (R-MSR-01)")
    func mediaServicesOfFile() {
        let player = player()
        observeMediaServices()
        player.setOutput(.output(driver: "file"))
        send(.outputChanged(OutputDescription(kind: "file", id: "/x.wav", name: "x.wav"), format: .compactDisc, isAudible: false, by: .chosen))
        send(.outputLost(gone))
        #expect(player.silenceReason == .writeFailed && !log.log.contains { $0.hasPrefix("services") })
    }

    @Test("after the patience, playback stays paused when the output is back")
    func lateReturn() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        rig.advance(OutputPolicy.standardPatience + 1)
        server.appear()
        send(open(by: .found))
        #expect(player.rate == 0 && player.silenceReason == nil && !rig.session.isInterrupted)
    }

    @Test("while the output is away no timer waits")
    func noTimers() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        #expect(rig.scheduler.scheduledCount == 0)
        rig.advance(3_600)
        #expect(openings == [.lost] && player.rate == 0)
    }

    @Test("play while nobody can hear tries the output once, and stays interrupted")
    func playInSilence() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        player.play()
        #expect(player.rate == 0 && player.timeControlStatus == .paused && rig.session.isInterrupted)
        #expect(openings == [.lost, .lost])
        send(open(by: .lost))
        #expect(player.rate == 1)
    }

    @Test("pause while nobody can hear prevents that playback resumes")
    func pauseInSilence() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        player.pause()
        send(open(by: .found))
        #expect(player.rate == 0 && !rig.session.isInterrupted)
    }

    @Test("the end of a call that the sound server could not report, because it died, resumes playback")
    func deadServerInCall() {
        let player = player()
        send(.streamSignal(.event("request-cork")))
        #expect(player.rate == 0 && player.silenceReason == .otherAudio)
        send(.outputLost(gone))
        #expect(player.silenceReason == .noOutput)
        send(open(by: .lost))
        #expect(player.rate == 1 && player.silenceReason == nil)
    }

    @Test("a call that ends before the server knows of the pause, and so without its request, resumes playback")
    func shortCall() {
        let player = player()
        send(.streamSignal(.event("request-cork")), .volumeChanged(1, isMuted: true))
        #expect(player.rate == 0)
        send(.volumeChanged(1, isMuted: false))
        #expect(player.rate == 1 && !player.isMuted && !rig.session.isInterrupted)
    }

    @Test("the placeholder of a server without devices is heard by nobody, and a device that appears is")
    func placeholder() {
        let player = player()
        send(open(by: .removed, isAudible: false))
        #expect(player.rate == 0 && player.silenceReason == .noDevice)
        send(open(by: .moved))
        #expect(player.rate == 1)
    }

    @Test("if removed headphones were the only device, playback does not resume on the one that appears (R-ROUTE-03)")
    func onlyHeadphones() {
        let player = player()
        let headphones = OutputDescription(
            kind: "pulse", id: "head", name: "Headset",
            connector: OutputConnector(portType: "Headphones", driver: "module-alsa-card.c", bus: "usb"))
        send(.outputChanged(headphones, format: .compactDisc, isAudible: true, by: .moved))
        send(open(by: .removed, isAudible: false))
        #expect(player.rate == 0 && player.silenceReason == .noDevice)
        send(open(by: .moved))
        #expect(player.rate == 0 && player.silenceReason == nil)
        player.play()
        #expect(player.rate == 1)
    }

    @Test("the session of two players stays interrupted until both can be heard")
    func twoPlayers() {
        let first = player()
        let firstEngine = rig.engine
        let second = rig.player(rig.item("b"))
        second.play()
        rig.advance(1)
        let engines = [firstEngine, rig.engine]
        for engine in engines { engine.emit(open(by: .opened)) }
        rig.run()
        for engine in engines { engine.emit(.outputLost(gone)) }
        rig.run()
        #expect(first.rate == 0 && second.rate == 0)
        firstEngine.emit(open(by: .lost))
        rig.run()
        #expect(rig.session.isInterrupted && first.rate == 0)
        engines[1].emit(open(by: .lost))
        rig.run()
        #expect(!rig.session.isInterrupted && first.rate == 1 && second.rate == 1)
    }

    @Test("a player that is shut down while nobody can hear it no longer interrupts the session")
    func shutDownWhileSilent() {
        let player = player()
        send(.outputLost(gone), .outputFailed(gone))
        #expect(rig.session.isInterrupted)
        player.shutDown()
        #expect(!rig.session.isInterrupted)
    }

    @Test("the interruption of a player that was released while nobody could hear it ends when another player is made")
    func releasedWhileSilent() {
        do {
            let player = player()
            send(.outputLost(gone), .outputFailed(gone))
            #expect(player.silenceReason == .noOutput && rig.session.isInterrupted)
        }
        let next = rig.player()
        #expect(!rig.session.isInterrupted && next.rate == 0)
    }

    @Test("a volume that another program has set becomes the player's, and is not sent back")
    func adoptsVolume() {
        let player = player()
        let count = rig.engine.commands.count
        log.observe(player, "volume", \.volume)
        send(.volumeChanged(0.25, isMuted: false))
        #expect(player.volume == 0.25 && log.log == ["volume=0.25"])
        #expect(rig.engine.commands.count == count)
        player.isMuted = true
        #expect(rig.engine.values { $0.volume } == [0.25])
    }

    @Test("a mute in a mixer becomes the player's, and that of a call does not")
    func adoptsMute() {
        let player = player()
        send(.streamSignal(.event("request-cork")), .volumeChanged(1, isMuted: true), .streamSignal(.event("request-uncork")))
        #expect(!player.isMuted)
        send(.volumeChanged(1, isMuted: true))
        #expect(player.isMuted)
    }

    @Test("a choice is kept, and the same choice again opens nothing")
    func choice() {
        let player = player()
        player.setOutput(.output(driver: "pulse", device: "dac"))
        player.setOutput(.output(driver: "pulse", device: "dac"))
        #expect(openings == [.chosen])
        let dac = OutputDescription(kind: "pulse", id: "dac", name: "DAC")
        send(.outputChanged(dac, format: .compactDisc, isAudible: true, by: .chosen))
        send(.outputLost(gone), .outputFailed(gone))
        server.appear("speakers")
        rig.run()
        #expect(openings == [.chosen, .lost])
        server.appear("speakers", "dac")
        rig.run()
        #expect(openings == [.chosen, .lost, .found] && player.wantedOutput == .output(driver: "pulse", device: "dac"))
    }

    @Test("a file that cannot be written stops playback for good")
    func fullDisk() {
        let player = player()
        player.setOutput(.output(driver: "file"))
        let file = OutputDescription(kind: "file", id: "/x.wav", name: "x.wav")
        send(.outputChanged(file, format: .compactDisc, isAudible: false, by: .chosen))
        #expect(player.rate == 1 && player.silenceReason == nil)
        send(.outputLost(gone))
        #expect(player.rate == 0 && player.silenceReason == .writeFailed && openings == [.chosen])
        player.play()
        #expect(player.rate == 0)
    }

    @Test("the machine's sleep interrupts playback, which resumes afterwards (R-LNX-40)")
    func machineSleep() {
        let player = player()
        player.setMachineAsleep(true)
        #expect(player.rate == 0 && player.silenceReason == .systemSleep && rig.session.isInterrupted)
        player.setMachineAsleep(false)
        #expect(player.rate == 1 && player.silenceReason == nil)
    }

    @Test("an output is chosen, and the machine's sleep is reported, on another thread (R-KVO-08)")
    func anyThread() {
        let player = player()
        let thread = WorkerThread(name: "elsewhere") { [log] in
            player.setOutput(.output(driver: "null"))
            player.setMachineAsleep(true)
            log.add("\(player.wantedOutput == .output(driver: "null")) \(player.rate) \(player.silenceReason?.rawValue ?? "-")")
        }
        thread.join()
        #expect(openings == [.chosen])
        #expect(log.log == ["true 0.0 systemSleep"])
        rig.run()
        #expect(log.log == ["true 0.0 systemSleep", "interruption1"])
    }
}
