import Foundation
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVAudioSession") @MainActor struct AudioSessionTests {
    let rig = ScriptedRig()
    var session: AVAudioSession { rig.session }

    func player() -> AVPlayer { rig.playingPlayer() }
    func observe(_ log: Recorder) {
        log.observe(AVAudioSession.interruptionNotification, session, as: "interruption") { notification in
            let type = notification.userInfo?[AVAudioSessionInterruptionTypeKey] as? UInt
            let options = notification.userInfo?[AVAudioSessionInterruptionOptionKey] as? UInt
            let reason = notification.userInfo?[AVAudioSessionInterruptionReasonKey] as? UInt
            return " \(type.map(String.init) ?? "-") \(options.map(String.init) ?? "-") \(reason.map(String.init) ?? "-")"
        }
        log.observe(AVAudioSession.routeChangeNotification, session, as: "route") {
            " \($0.userInfo?[AVAudioSessionRouteChangeReasonKey] as? UInt ?? 99)"
        }
    }

    @Test("the shared session is usable without configuration: soloAmbient, default mode, inactive (R-SES-07, R-SES-02)")
    func shared() {
        #expect(AVAudioSession.sharedInstance() === AVAudioSession.sharedInstance())
        #expect(session.category == .soloAmbient && session.mode == .default && session.categoryOptions.isEmpty && !session.isActive)
    }

    @Test("the raw values of the options (R-SES-12) and of the error codes (R-SES-20) are Apple's")
    func rawValues() {
        #expect(AVAudioSession.CategoryOptions.interruptSpokenAudioAndMixWithOthers.rawValue == 17)
        #expect(AVAudioSession.CategoryOptions.overrideMutedMicrophoneInterruption.rawValue == 128)
        #expect(AVAudioSession.ErrorCode.isBusy.rawValue == 560_030_580 && AVAudioSession.ErrorCode.insufficientPriority.rawValue == 561_017_449)
    }

    @Test("category options are valid for one call of setCategory (R-SES-09)")
    func options() throws {
        try session.setCategory(.playback, options: .mixWithOthers)
        #expect(session.categoryOptions == .mixWithOthers)
        try session.setCategory(.playback)
        #expect(session.categoryOptions.isEmpty)
    }

    @Test("an inconsistent combination is refused and changes nothing (R-SES-10, R-SES-13, R-SES-15, R-SES-16)")
    func refused() throws {
        try session.setCategory(.playback, mode: .spokenAudio)
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.ambient, mode: .moviePlayback) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.playback, mode: .voiceChat) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.playback, options: .defaultToSpeaker) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.soloAmbient, options: .mixWithOthers) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.record, options: .allowBluetoothA2DP) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) {
            try session.setCategory(.playback, mode: .default, policy: .longFormAudio, options: .duckOthers)
        }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(.ambient, mode: .default, policy: .longFormAudio) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setMode(.videoRecording) }
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setCategory(AVAudioSession.Category(rawValue: "mine")) }
        #expect(session.category == .playback && session.mode == .spokenAudio)
        try session.setCategory(.playback, mode: .moviePlayback, policy: .longFormAudio)
        #expect(session.routeSharingPolicy == .longFormAudio)
    }

    @Test("a new category takes effect at once: with a route change if the session is active, silently if not (R-SES-08)")
    func whileActive() throws {
        let log = Recorder()
        observe(log)
        try session.setCategory(.playback)
        #expect(log.log == [])
        try session.setActive(true)
        try session.setCategory(.ambient)
        session.routeQueue.sync {}
        #expect(log.log == ["route 3"])
    }

    @Test("play activates the session (R-SES-21)")
    func implicit() {
        let player = player()
        #expect(session.isActive)
        _ = player
    }

    @Test("deactivation during playback deactivates, pauses and throws (R-SES-22, section K 15)")
    func busy() throws {
        let player = player()
        #expect(throws: AVAudioSession.ErrorCode.isBusy) { try session.setActive(false) }
        #expect(!session.isActive && player.rate == 0)
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setActive(true, options: .notifyOthersOnDeactivation) }
    }

    @Test(
        "an interruption sets rate 0 with its reason, then posts began (1); the session is inactive (R-INT-01, R-INT-02, R-RDC-05, J-9, section K 14)"
    )
    func began() {
        let player = player()
        let log = Recorder()
        log.observeTransport(player)
        observe(log)
        session.handle(.interruptionBegan(.default))
        #expect(log.log == ["rate=0.0", "status=paused", "rateDidChange(AudioSessionInterrupted)", "interruption 1 - 0"])
        #expect(!session.isActive && session.isInterrupted)
    }

    @Test(
        "its end posts 0; with shouldResume the player resumes, and a further play is harmless; else it stays paused (R-INT-03, R-INT-06, R-RDC-08)",
        arguments: [true, false])
    func ended(shouldResume: Bool) {
        let player = player()
        session.handle(.interruptionBegan(.default))
        rig.advance(1)
        let log = Recorder()
        observe(log)
        session.handle(.interruptionEnded(shouldResume: shouldResume))
        #expect(log.log == ["interruption 0 \(shouldResume ? 1 : 0) -"])
        #expect(player.rate == (shouldResume ? 1 : 0))
        #expect(session.isActive == shouldResume && !session.isInterrupted)
        player.play()
        rig.advance(1)
        #expect(player.currentTime() == ms(2_000))
    }

    @Test("play ends an interruption whose end was never reported (R-INT-03)")
    func noEnd() {
        let player = player()
        session.handle(.interruptionBegan(.default))
        player.play()
        #expect(session.isActive && !session.isInterrupted)
        session.handle(.interruptionEnded(shouldResume: true))
        #expect(player.rate == 1)
    }
}
