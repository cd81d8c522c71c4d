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

    @Test(
        "ambient mixes, soloAmbient and playback do not; the lock mutes the first two; record is input only (R-SES-01, R-SES-02, R-SES-03, R-SES-04)"
    )
    func output() throws {
        typealias Traits = CategoryTraits
        #expect(Traits(.ambient).isSilencedByLock && !Traits(.ambient).stopsOthers && Traits(.ambient).direction == .output)
        #expect(Traits(.soloAmbient).isSilencedByLock && Traits(.soloAmbient).stopsOthers && Traits(.soloAmbient).direction == .output)
        #expect(!Traits(.playback).isSilencedByLock && Traits(.playback).stopsOthers && Traits(.playback).direction == .output)
        #expect(!Traits(.record).isSilencedByLock && Traits(.record).stopsOthers && Traits(.record).direction == .input)
        #expect(SessionSettings(category: .ambient).isMixable && !SessionSettings(category: .soloAmbient).isMixable)
        #expect(SessionSettings(category: .playback, options: .mixWithOthers).isMixable && !SessionSettings(category: .playback).isMixable)
    }

    @Test("playAndRecord and multiRoute have both directions, are not muted by the lock, and mix only with mixWithOthers (R-SES-05, R-SES-06)")
    func both() {
        for category in [AVAudioSession.Category.playAndRecord, .multiRoute] {
            let traits = CategoryTraits(category)
            #expect(!traits.isSilencedByLock && traits.stopsOthers && traits.direction == .both)
            #expect(!SessionSettings(category: category).isMixable && SessionSettings(category: category, options: .mixWithOthers).isMixable)
        }
    }

    @Test("the screen lock mutes ambient audio if isSilencedByScreenLock is set, and never playback (R-SES-01, R-SES-03, R-LNX-22, R-LNX-35)")
    func lock() throws {
        let player = player()
        session.handle(.screenLocked(true))
        #expect(!isSilent, "by default the lock is ignored")
        session.isSilencedByScreenLock = true
        #expect(isSilent && player.rate == 1 && !player.isMuted)
        let another = self.player()
        #expect(isSilent, "a new player is silent too")
        try session.setCategory(.playback)
        #expect(!isSilent)
        try session.setCategory(.ambient)
        #expect(isSilent)
        session.handle(.screenLocked(false))
        #expect(!isSilent)
        _ = another
    }

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

    @Test("the stream role is derived from category and mode (R-LNX-20, R-LNX-21, R-LNX-22)")
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

    @Test("during a call a session may play but not record, and the error codes are Apple's (R-SES-20, R-LNX-36)")
    func calls() throws {
        session.handle(.callChanged(isActive: true))
        try session.setCategory(.playback)
        try session.setActive(true)
        try session.setActive(false)
        for category in [AVAudioSession.Category.record, .playAndRecord] {
            try session.setCategory(category)
            #expect(throws: AVAudioSession.ErrorCode.insufficientPriority) { try session.setActive(true) }
        }
        #expect(!session.isActive)
        session.handle(.callChanged(isActive: false))
        try session.setActive(true)
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
