import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

/// Playback that starts at a given host time or date.
@Suite("PlaylistPlayer: scheduled starts") @MainActor struct ScheduledPlayTests {
    let rig = PlaylistRig()
    var state: PlayerState { rig.player.state }
    var now: Double { rig.rig.clock.now.seconds }

    private func load() async throws {
        try await rig.perform(.setQueue([rig.spec("a", seconds: 100), rig.spec("b")], play: false))
        rig.rig.run()
    }
    /// The host times for which the engine was prepared.
    private var prepared: [HostTime] { rig.rig.engine.commands.compactMap { if case .awaitStart(let host) = $0 { host } else { nil } } }

    @Test("until the moment the player stays paused with the scheduled start in its state, then it plays for the client that sent the command")
    func waits() async throws {
        try await load()
        let host = now + 60
        try await rig.perform(.play(rate: nil, at: .hostTime(host)), origin: "phone")
        #expect(state.scheduledStart == PlayerState.ScheduledStart(hostTime: host))
        rig.rig.advance(58)
        #expect(state.rate == 0)
        rig.rig.advance(5)
        #expect(state.rate == 1)
        #expect(state.scheduledStart == nil)
        #expect(state.timeControlStatus == .playing)
        #expect(rig.events.contains(.rateDidChange(rate: 1, reason: .setRateCalled, origin: "phone")))
    }

    @Test("the engine is prepared a second before the host time, and met before it (R-SYNC-02)")
    func engine() async throws {
        try await load()
        let host = now + 10
        try await rig.perform(.play(rate: nil, at: .hostTime(host)))
        rig.rig.advance(8.95)
        #expect(prepared.isEmpty)
        rig.rig.advance(0.1)
        #expect(prepared.map { abs($0.seconds - host) < 1e-6 } == [true])
        func isMet() -> Bool { rig.rig.engine.commands.contains { if case .meetStart = $0 { true } else { false } } }
        rig.rig.advance(0.65)
        #expect(!isMet())
        rig.rig.advance(0.1)
        #expect(isMet())
    }

    @Test("pause, toggle and play end the waiting", arguments: [PlayerCommand.pause, .toggle, .play(rate: nil), .fadeToPause(seconds: 1)])
    func cancelled(_ command: PlayerCommand) async throws {
        try await load()
        try await rig.perform(.play(rate: nil, at: .hostTime(now + 60)))
        try await rig.perform(command)
        #expect(state.scheduledStart == nil)
        let rate = state.rate
        try await rig.perform(.pause)
        rig.rig.advance(70)
        #expect(state.rate == 0)
        #expect((rate == 1) == (command == .toggle || command == .play(rate: nil)))
    }

    @Test("another queue does not end the waiting, and its first entry is what starts")
    func otherQueue() async throws {
        try await load()
        try await rig.perform(.play(rate: nil, at: .hostTime(now + 60)))
        try await rig.perform(.setQueue([rig.spec("c", seconds: 50)], play: nil))
        rig.rig.advance(65)
        #expect(state.rate == 1)
        #expect(state.currentItem?.url == "file:///c")
    }

    @Test("a newer moment replaces the awaited one")
    func replaced() async throws {
        try await load()
        try await rig.perform(.play(rate: nil, at: .hostTime(now + 10)))
        try await rig.perform(.play(rate: 2, at: .hostTime(now + 60)))
        rig.rig.advance(20)
        #expect(state.rate == 0)
        rig.rig.advance(45)
        #expect(state.rate == 2)
    }

    @Test("a date is converted to the host clock, and is in the state")
    func date() async throws {
        try await load()
        let date = rig.rig.environment.wallClock.secondsSince1970 + 5
        try await rig.perform(.play(rate: nil, at: .date(date)))
        #expect(state.scheduledStart == PlayerState.ScheduledStart(hostTime: now + 5, date: date))
    }

    @Test("a moment that has just passed starts at once, an older and a very late one are refused")
    func range() async throws {
        try await load()
        await #expect(throws: PlayerRefusal.startInPast) { try await rig.perform(.play(rate: nil, at: .hostTime(now - 1.1))) }
        await #expect(throws: PlayerRefusal.startTooLate(maximum: StartMoment.longestWait)) {
            try await rig.perform(.play(rate: nil, at: .hostTime(now + StartMoment.longestWait + 1)))
        }
        #expect(state.scheduledStart == nil)
        try await rig.perform(.play(rate: nil, at: .hostTime(now - 0.5)))
        #expect(state.rate == 1)
    }

    @Test("a player that plays, and one without entries, refuse a moment")
    func refusals() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.perform(.play(rate: nil, at: .hostTime(now + 5))) }
        try await load()
        try await rig.perform(.play(rate: nil))
        await #expect(throws: PlayerRefusal.alreadyPlaying) { try await rig.perform(.play(rate: nil, at: .hostTime(now + 5))) }
    }

    @Test("the volume rises from the scheduled start on")
    func fade() async throws {
        try await load()
        try await rig.perform(.play(rate: nil, fade: 10, at: .hostTime(now + 60)))
        #expect(state.fade == nil)
        rig.rig.advance(59.5)
        #expect(rig.player.player.volume < 0.1)
        rig.rig.advance(20)
        #expect(rig.player.player.volume == 1)
    }
}
