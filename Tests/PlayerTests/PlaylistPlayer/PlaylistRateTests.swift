import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The commands by which remotes set the rate.
@Suite("PlaylistPlayer: rates") @MainActor struct PlaylistRateTests {
    let rig = PlaylistRig(canReverse: true)
    var player: PlaylistPlayer { rig.player }
    var state: PlayerState { rig.player.state }
    private var time: Double { player.currentTime().currentTime }

    private func update(_ change: (inout PlayerUpdate) -> Void) async throws {
        var update = PlayerUpdate()
        change(&update)
        try await rig.perform(.update(update))
        rig.rig.run()
    }

    @Test(
        "every algorithm plays every rate of the documented range, and the position advances at that rate (R-PITCH-01)",
        arguments: [PitchAlgorithm.timeDomain, .spectral, .varispeed, .lowQualityZeroLatency], [1.0 / 32, 0.5, 1.25, 2, 32, -1.0 / 32, -1, -2, -32])
    func range(algorithm: PitchAlgorithm, rate: Double) async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 1_000), play: true, startTime: 500))
        rig.rig.advance(1)
        let start = time
        try await update { ($0.rate, $0.audioTimePitchAlgorithm) = (rate, algorithm) }
        rig.rig.advance(4)
        #expect(state.rate == rate && state.timeControlStatus == .playing && state.audioTimePitchAlgorithm == algorithm)
        #expect(abs(time - start - 4 * rate) < 0.01)
    }

    @Test("a negative rate is refused if the item is not seekable, and nothing changes (R-RATE-08)")
    func notPlayable() async throws {
        rig.rig.add("live", ScriptedMedium(seconds: 60, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "live"), play: true, startTime: nil))
        rig.rig.advance(1)
        rig.clear()
        await #expect(throws: PlayerRefusal.rateNotPlayable) { try await update { ($0.rate, $0.volume) = (-1, 0.5) } }
        await #expect(throws: PlayerRefusal.rateNotPlayable) { try await rig.perform(.play(rate: -0.5)) }
        #expect(state.rate == 1 && state.volume == 1 && state.timeControlStatus == .playing)
        #expect(rig.events == [])
    }

    @Test("a negative rate requested before the item is ready becomes 0 with setRateFailed if the item is not seekable (R-RATE-08)")
    func notPlayableLater() async throws {
        rig.rig.add("live", ScriptedMedium(seconds: 60, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "live"), play: nil, startTime: nil))
        try await rig.perform(.play(rate: -1))
        #expect(state.rate == -1)
        rig.rig.run()
        #expect(state.rate == 0 && state.timeControlStatus == .paused)
        #expect(rig.events.contains(.rateDidChange(rate: 0, reason: .setRateFailed, origin: "player")))
    }

    @Test("at the start a negative rate pauses in the same entry, which is not ended; play goes forwards")
    func start() async throws {
        let ids = try await rig.append([rig.spec("a"), rig.spec("b")])
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(2)
        try await update { $0.rate = -1 }
        rig.rig.advance(3)
        #expect(state.currentItem?.id == ids[0])
        #expect(state.rate == 0 && state.timeControlStatus == .paused && !state.ended)
        #expect(time == 0)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        #expect(state.currentItem?.id == ids[0])
        #expect(time == 1)
    }

    @Test("play with a negative rate plays backwards from the end of the last entry")
    func fromEnd() async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: 5), play: true, startTime: nil))
        rig.rig.advance(6)
        #expect(state.ended)
        try await rig.perform(.play(rate: -1))
        rig.rig.advance(2)
        #expect(state.rate == -1 && !state.ended)
        #expect(abs(time - 3) < 0.01)
    }
}
