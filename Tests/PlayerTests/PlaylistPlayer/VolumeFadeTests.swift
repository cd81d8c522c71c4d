import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// Relative changes of the volume, and the fades of volume changes, starts and pauses.
@Suite("PlaylistPlayer: fades") @MainActor struct VolumeFadeTests {
    let rig = PlaylistRig()
    var state: PlayerState { rig.player.state }
    /// The volume that the listener hears now, during a fade too, rounded to thousandths.
    var level: Double { (Double(rig.player.player.volume) * 1000).rounded() / 1000 }

    private func play() async throws {
        try await rig.perform(.setQueue([rig.spec("a", seconds: 100)], play: true))
        rig.rig.run()
    }

    private func set(_ volume: Double, fade: Double? = nil) async throws {
        var update = PlayerUpdate()
        (update.volume, update.volumeFade) = (volume, fade)
        try await rig.perform(.update(update))
    }

    @Test("a step of the volume is added to it, and the sum is limited to 0 and 1", arguments: [(0.05, 0.55), (-0.1, 0.4), (0.9, 1), (-1, 0)])
    func step(by change: Double, gives volume: Double) async throws {
        try await set(0.5)
        try await rig.perform(.changeVolume(by: change))
        #expect(state.volume == volume)
        #expect(level == volume)
        #expect(state.lastChange.reason == .settingsChanged)
    }

    @Test("ten steps of 0.1 are exactly 1")
    func decimalSteps() async throws {
        try await set(0)
        for _ in 0..<10 { try await rig.perform(.changeVolume(by: 0.1)) }
        #expect(state.volume == 1)
    }

    @Test("a fade to another volume is linear, in steps of at most 1/500 of the change or 10 ms, and the state has it until its end")
    func volume() async throws {
        try await play()
        let start = rig.rig.clock.now.seconds
        try await set(0, fade: 10)
        #expect(state.volume == 0)
        #expect(state.fade == PlayerState.Fade(kind: .volume, from: 1, to: 0, seconds: 10, hostTime: start))
        var levels: [Double] = []
        for _ in 0..<500 {
            levels.append(Double(rig.player.player.volume))
            rig.rig.advance(0.02)
        }
        for (index, level) in levels.enumerated() { #expect(abs(level - (1 - Double(index) / 500)) <= 1.01 / 500) }
        #expect(level == 0)
        #expect(state.fade == nil)
    }

    @Test("the state changes only at the start and at the end of a fade")
    func states() async throws {
        try await play()
        rig.clear()
        try await set(0.5, fade: 1)
        rig.rig.advance(2)
        #expect(rig.states.map { $0.fade != nil } == [true, false])
    }

    @Test("a new volume ends the fade at once")
    func replaced() async throws {
        try await play()
        try await set(0, fade: 10)
        rig.rig.advance(5)
        try await set(0.75)
        #expect(level == 0.75)
        #expect(state.fade == nil)
        rig.rig.advance(6)
        #expect(level == 0.75)
    }

    @Test("a fade begins at the audible volume, so a fade that replaces another one is continuous")
    func continuous() async throws {
        try await play()
        try await set(0, fade: 10)
        rig.rig.advance(5)
        try await set(1, fade: 10)
        #expect(level == 0.5)
        rig.rig.advance(5)
        #expect(level == 0.75)
    }

    @Test("while paused, the volume changes at once")
    func paused() async throws {
        try await set(0.25, fade: 10)
        #expect(level == 0.25)
        #expect(state.fade == nil)
    }

    @Test("a fade to a pause pauses at its end, by the client that sent it, and the next start has the volume that was set")
    func pause() async throws {
        try await play()
        try await set(0.8)
        try await rig.perform(.fadeToPause(seconds: 4), origin: "phone")
        #expect(state.rate == 1)
        rig.rig.advance(2)
        #expect(level == 0.4)
        #expect(state.volume == 0.8)
        rig.rig.advance(2.1)
        #expect(state.rate == 0)
        #expect(level == 0)
        #expect(state.volume == 0.8)
        #expect(state.lastChange == PlayerState.Change(reason: .setRateCalled, origin: "phone"))
        #expect(state.lastPause?.origin == "phone")
        try await rig.perform(.play(rate: nil))
        #expect(level == 0.8)
    }

    @Test("a volume that a mixer lowers during a fade to a pause is that of the rest of the fade, and of the next start")
    func mixerDuringPause() async throws {
        try await play()
        try await rig.perform(.fadeToPause(seconds: 4))
        rig.rig.advance(2)
        rig.rig.engine.emit(.volumeChanged(0.25, isMuted: false))
        rig.rig.run()
        #expect(state.volume == 0.5 && state.fade?.kind == .pause)
        rig.rig.advance(1)
        #expect(level == 0.125)
        rig.rig.advance(1.1)
        #expect(state.rate == 0 && level == 0)
        try await rig.perform(.play(rate: nil))
        #expect(level == 0.5)
    }

    @Test("a mute in a mixer during a fade to a pause, reported with the volume of an older step, leaves the volume of the next start")
    func muteDuringPause() async throws {
        try await play()
        try await rig.perform(.fadeToPause(seconds: 4))
        rig.rig.advance(2)
        rig.rig.engine.emit(.volumeChanged(0.51, isMuted: true))
        rig.rig.run()
        #expect(state.isMuted && state.volume == 1)
    }

    @Test("play during a fade to a pause cancels the pause")
    func cancelled() async throws {
        try await play()
        try await rig.perform(.fadeToPause(seconds: 4))
        rig.rig.advance(2)
        try await rig.perform(.play(rate: nil))
        #expect(level == 1)
        rig.rig.advance(4)
        #expect(state.rate == 1)
        #expect(state.fade == nil)
    }

    @Test("play with a fade during a fade to a pause rises from the present level")
    func returning() async throws {
        try await play()
        try await rig.perform(.fadeToPause(seconds: 4))
        rig.rig.advance(2)
        try await rig.perform(.play(rate: nil, fade: 2))
        #expect(level == 0.5)
        rig.rig.advance(1)
        #expect(level == 0.75)
        rig.rig.advance(1)
        #expect(level == 1)
    }

    @Test("a pause during a fade pauses at once")
    func pauseAtOnce() async throws {
        try await play()
        try await rig.perform(.fadeToPause(seconds: 4))
        rig.rig.advance(1)
        try await rig.perform(.pause)
        #expect(state.rate == 0)
        #expect(state.fade == nil)
        try await rig.perform(.play(rate: nil))
        #expect(level == 1)
    }

    @Test("a fade at the start begins when the audio starts, not when the command arrives")
    func start() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 100, isHeld: true))
        try await rig.perform(.setQueue([rig.spec(of: "slow")], play: false))
        try await rig.perform(.play(rate: nil, fade: 10))
        rig.rig.advance(3)
        #expect(level == 0)
        #expect(state.fade?.kind == .play)
        #expect(state.fade?.hostTime == nil)
        rig.rig.engine.open("/slow")
        rig.rig.run()
        rig.rig.advance(0.5)
        let start = try #require(state.fade?.hostTime)
        rig.rig.advance(start + 5 - rig.rig.clock.now.seconds)
        #expect(abs(level - 0.5) <= 0.002)
        rig.rig.advance(6)
        #expect(level == 1)
        #expect(state.fade == nil)
    }

    @Test("a fade to a pause of a paused player does nothing but pause")
    func pauseOfPaused() async throws {
        try await rig.perform(.fadeToPause(seconds: 4))
        #expect(state.fade == nil)
        #expect(state.rate == 0)
    }
}
