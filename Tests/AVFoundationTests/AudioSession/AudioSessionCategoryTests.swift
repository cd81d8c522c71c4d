import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation

@Suite("AVAudioSession: category, mode and options") @MainActor struct AudioSessionCategoryTests {
    let rig = ScriptedRig()
    var session: AVAudioSession { rig.session }

    func player() -> AVPlayer { rig.playingPlayer() }
    /// Whether the newest settings that the engine received mute it.
    var isSilent: Bool { rig.engine.values(of: \.isMuted).last ?? false }
    var role: StreamRole { rig.engine.values(of: \.role).last ?? .music }

    @Test("audio is muted while the category is record (R-SES-04)")
    func recording() throws {
        let player = player()
        try session.setCategory(.record)
        #expect(isSilent && player.rate == 1)
        player.volume = 0.5
        #expect(isSilent)
        try session.setCategory(.playback)
        #expect(!isSilent)
    }

    @Test("the stream role is derived from category and mode (R-LNX-20, R-LNX-21, R-LNX-22, R-SES-01, R-SES-02, R-SES-03)")
    func roles() throws {
        let player = player()
        #expect(role == .music)
        try session.setCategory(.playback, mode: .moviePlayback)
        #expect(role == .video)
        try session.setCategory(.playback, mode: .spokenAudio)
        #expect(role == .music)
        try session.setCategory(.playback, mode: .voicePrompt, options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
        #expect(role == .accessibility)
        try session.setCategory(.playAndRecord, mode: .voiceChat)
        #expect(role == .phone)
        try session.setCategory(.ambient)
        #expect(role == .game)
        let another = self.player()
        #expect(role == .game, "for a player created later too")
        _ = (player, another)
    }

    @Test("other streams are ducked while the session is active, whether it plays or not (R-SES-14, R-LNX-24)")
    func ducking() throws {
        let player = player()
        try session.setCategory(.playback, options: .duckOthers)
        #expect(role == .event)
        player.pause()
        #expect(role == .event)
        try session.setActive(false)
        #expect(role == .music)
    }

    @Test("the error codes are Apple's (R-SES-20)")
    func codes() {
        let codes: [AVAudioSession.ErrorCode] = [
            .insufficientPriority, .cannotInterruptOthers, .incompatibleCategory, .isBusy, .mediaServicesFailed, .sessionNotActive, .unspecified,
        ]
        let texts = codes.map { code in String((0..<4).map { Character(Unicode.Scalar(UInt8(truncatingIfNeeded: code.rawValue >> (24 - 8 * $0)))) }) }
        #expect(texts == ["!pri", "!int", "!cat", "!act", "msrv", "inac", "what"])
        #expect(AVAudioSession.ErrorCode.badParam.rawValue == -50 && codes.allSatisfy { $0.errorDescription?.isEmpty == false })
    }

    @Test("notifyOthersOnDeactivation is accepted only with deactivation (R-SES-23)")
    func notifyingOthers() throws {
        #expect(AVAudioSession.SetActiveOptions.notifyOthersOnDeactivation.rawValue == 1)
        #expect(throws: AVAudioSession.ErrorCode.badParam) { try session.setActive(true, options: .notifyOthersOnDeactivation) }
        #expect(!session.isActive)
        try session.setActive(true)
        try session.setActive(false, options: .notifyOthersOnDeactivation)
        #expect(!session.isActive)
    }

    @Test("every available category and mode can be set")
    func available() throws {
        for category in session.availableCategories { try session.setCategory(category) }
        try session.setCategory(.playback)
        for mode in session.availableModes { try session.setMode(mode) }
    }
}
