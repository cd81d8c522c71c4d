import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// The commands that set and remove a loop, and the published state while it repeats.
@Suite("PlaylistPlayer: loops") @MainActor struct LoopCommandTests {
    let rig = PlaylistRig()
    var state: PlayerState { rig.player.state }
    var position: Double { (rig.player.currentTime().currentTime * 100).rounded() / 100 }

    private func play(_ seconds: Double = 60) async throws {
        try await rig.perform(.setQueue([rig.spec("a", seconds: seconds), rig.spec("b")], play: true))
        rig.rig.run()
    }

    @Test("the state has the loop until it is removed, and the anchor predicts the position through all turns without a new state")
    func state() async throws {
        try await play()
        try await rig.perform(.setLoop(start: 10, end: 12), origin: "phone")
        #expect(state.loop == ItemDetails.TimeRange(start: 10, end: 12))
        #expect(state.lastChange == PlayerState.Change(reason: .settingsChanged, origin: "phone"))
        rig.clear()
        for _ in 0..<40 {
            rig.rig.advance(1)
            let predicted = state.anchor.position(at: rig.rig.clock.now.seconds, in: state.loop)
            #expect(abs(predicted - rig.player.currentTime().currentTime) < 0.011)
        }
        #expect(rig.states.isEmpty)
        try await rig.perform(.clearLoop)
        #expect(state.loop == nil)
        rig.rig.advance(5)
        #expect(position > 12)
    }

    @Test("a loop whose end has been passed continues at its start (R-TURN-03)")
    func passed() async throws {
        try await play()
        rig.rig.advance(12.3)
        try await rig.perform(.setLoop(start: 10, end: 12))
        rig.rig.run()
        #expect(position == 10)
        rig.rig.advance(3)
        #expect(position == 11)
    }

    @Test("a seek after the end leaves the loop, and the item ends")
    func left() async throws {
        try await play()
        let first = state.currentItem?.id
        try await rig.perform(.setLoop(start: 10, end: 12))
        _ = try await rig.seek(.time(58))
        #expect(state.currentItem?.id == first)
        rig.rig.advance(1)
        #expect(position == 59)
        rig.rig.advance(2)
        #expect(state.currentItem?.url == "file:///b")
    }

    @Test("another item has no loop")
    func otherItem() async throws {
        try await play()
        try await rig.perform(.setLoop(start: 10, end: 12))
        try await rig.perform(.next)
        rig.rig.run()
        #expect(state.loop == nil)
    }

    @Test("an end slightly beyond the item is moved to it, one further out is refused with the end of the item")
    func beyond() async throws {
        try await play(20)
        try await rig.perform(.setLoop(start: 10, end: 20.5))
        #expect(state.loop == ItemDetails.TimeRange(start: 10, end: 20))
        await #expect(throws: PlayerRefusal.outOfRange(end: 20)) { try await rig.perform(.setLoop(start: 10, end: 30)) }
        #expect(state.loop == ItemDetails.TimeRange(start: 10, end: 20))
    }

    @Test("if the real end is before the loop's end, the published loop ends there; if too little remains, there is none (R-TURN-01, R-EOI-08)")
    func realEnd() async throws {
        rig.rig.add("long", ScriptedMedium(seconds: 200, isEstimated: true))
        try await rig.perform(.setItem(rig.spec(of: "long"), play: true, startTime: nil))
        rig.rig.run()
        try await rig.perform(.setLoop(start: 100, end: 200))
        let item = try #require(rig.rig.engine.currentItem)
        func loop(_ duration: MediaDuration) -> ItemDetails.TimeRange? {
            rig.clear()
            rig.rig.engine.emit(.durationChanged(item, duration))
            rig.rig.run()
            return rig.states.last?.loop
        }
        #expect(loop(.estimated(frames: 190_000, sampleRate: 1_000)) == ItemDetails.TimeRange(start: 100, end: 200))
        #expect(loop(.exact(frames: 180_000, sampleRate: 1_000)) == ItemDetails.TimeRange(start: 100, end: 180))
        #expect(state.loop == ItemDetails.TimeRange(start: 100, end: 180))
        #expect(loop(.exact(frames: 100_050, sampleRate: 1_000)) == nil && !rig.states.isEmpty)
    }

    @Test("each reason for refusing a loop has its own refusal")
    func refusals() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.perform(.setLoop(start: 1, end: 2)) }
        rig.rig.add("pipe", ScriptedMedium(seconds: 10, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "pipe"), play: nil, startTime: nil))
        await #expect(throws: PlayerRefusal.notReady) { try await rig.perform(.setLoop(start: 1, end: 2)) }
        rig.rig.run()
        await #expect(throws: PlayerRefusal.notSeekable) { try await rig.perform(.setLoop(start: 1, end: 2)) }
        try await play()
        await #expect(throws: PlayerRefusal.loopTooShort(minimum: 0.1)) { try await rig.perform(.setLoop(start: 1, end: 1.09)) }
        #expect(state.loop == nil)
    }

    @Test("an anchor predicts turns in both directions")
    func anchors() {
        let loop = ItemDetails.TimeRange(start: 10, end: 14)
        let forward = PlayerState.Anchor(time: 8, hostTime: 100, rate: 1)
        #expect(forward.position(at: 105, in: loop) == 13)
        #expect(forward.position(at: 106, in: loop) == 10)
        #expect(forward.position(at: 116.5, in: loop) == 12.5)
        #expect(PlayerState.Anchor(time: 12, hostTime: 100, rate: -1).position(at: 103, in: loop) == 13)
        #expect(PlayerState.Anchor(time: 14, hostTime: 100, rate: 1).position(at: 105, in: loop) == 19)
    }
}
