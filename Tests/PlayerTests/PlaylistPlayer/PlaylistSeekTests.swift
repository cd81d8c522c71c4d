import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import AVFoundation
@testable import Player

@Suite("PlaylistPlayer: seeks") @MainActor struct PlaylistSeekTests {
    let rig = PlaylistRig()
    var player: PlaylistPlayer { rig.player }

    func load(seconds: Double = 10) async throws {
        try await rig.perform(.setItem(rig.spec("a", seconds: seconds), play: false, startTime: nil))
        rig.rig.run()
    }

    @Test("a seek is answered after its landing, and gives one state with its origin (R-SEEK-13)")
    func landing() async throws {
        try await load()
        rig.clear()
        #expect(try await rig.seek(.time(3.25)) == .seek(finished: true, time: 3.25, requested: 3.25))
        rig.rig.run()
        #expect(rig.states.count == 1)
        #expect(rig.states.last?.lastChange == PlayerState.Change(reason: .seek, origin: "test"))
        #expect(rig.states.last?.anchor.time == 3.25)
        #expect(rig.events == [.timeJumped(itemID: player.state.currentItem?.id ?? "", time: 3.25)])
    }

    @Test(
        "offsets are relative to the heard position and clamped to the ends, and fractions are of the duration",
        arguments: [
            (SeekCommand.Target.offset(2), 6.0), (.offset(-99), 0), (.offset(99), 10), (.fraction(0.25), 2.5), (.fraction(1), 10),
            (.exactTime(value: 7_001, timescale: 1_000), 7.001),
        ])
    func targets(target: SeekCommand.Target, expected: Double) async throws {
        try await load()
        _ = try await rig.seek(.time(4))
        #expect(try await rig.seek(target) == .seek(finished: true, time: expected, requested: expected))
    }

    @Test("a small overshoot is clamped to the end, and a large one is refused (R-SEEK-08, J-2)")
    func overshoot() async throws {
        try await load()
        #expect(try await rig.seek(.time(10.9)) == .seek(finished: true, time: 10, requested: 10))
        #expect(try await rig.seek(.time(-0.5)) == .seek(finished: true, time: 0, requested: 0))
        for target in [SeekCommand.Target.time(11.5), .time(-2), .time(1e300), .exactTime(value: 1, timescale: 0), .fraction(1.5)] {
            await #expect(throws: PlayerRefusal.self) { try await rig.seek(target) }
        }
        #expect(player.currentTime().currentTime == 0)
    }

    @Test("each reason for refusing a seek has its own refusal")
    func refusals() async throws {
        await #expect(throws: PlayerRefusal.noItem) { try await rig.seek(.time(1)) }
        rig.rig.add("pipe", ScriptedMedium(seconds: 10, isSeekable: false))
        try await rig.perform(.setItem(rig.spec(of: "pipe"), play: nil, startTime: nil))
        await #expect(throws: PlayerRefusal.notReady) { try await rig.perform(.seek(SeekCommand(target: .fraction(0.5)))) }
        rig.rig.run()
        await #expect(throws: PlayerRefusal.notSeekable) { try await rig.seek(.time(1)) }
        try await rig.perform(.setItem(rig.spec(of: "missing"), play: nil, startTime: nil))
        rig.rig.run()
        await #expect(throws: PlayerRefusal.itemFailed(PlayerState.Failure(code: .fileNotFound, message: "There is no such file."))) {
            try await rig.seek(.time(1))
        }
    }

    @Test("a newer seek ends an older one with finished false (R-SEEK-02)")
    func superseded() async throws {
        try await load()
        rig.rig.engine.holdsSeeks = true
        let first = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(2))), origin: "one") }
        await Task.yield()
        let second = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(5))), origin: "two") }
        await Task.yield()
        #expect(try await first.value == .seek(finished: false, time: 0, requested: 2))
        rig.rig.engine.completeSeek()
        rig.rig.run()
        #expect(try await second.value == .seek(finished: true, time: 5, requested: 5))
    }

    @Test("the late landing of a superseded seek is in the anchor while the newer seek is pending (R-SEEK-13)")
    func lateLanding() async throws {
        try await load(seconds: 60)
        try await rig.perform(.play(rate: nil))
        rig.rig.advance(1)
        rig.rig.engine.holdsSeeks = true
        let first = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(20))), origin: "one") }
        await Task.yield()
        rig.rig.engine.completeSeek()
        let second = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(40))), origin: "two") }
        await Task.yield()
        rig.clear()
        rig.rig.run()
        #expect(rig.events == [.timeJumped(itemID: player.state.currentItem?.id ?? "", time: 20)])
        #expect(rig.states.map(\.anchor.time) == [20] && rig.states.last == player.state && player.player.isSeeking)
        rig.rig.advance(1)
        rig.rig.engine.completeSeek()
        // The landing is in the engine's timeline, and the player has not processed it.
        try await rig.perform(.changeVolume(by: -0.5))
        #expect(player.state.anchor.time == 20)
        rig.rig.run()
        #expect(player.state.anchor.time == 40)
        _ = try await (first.value, second.value)
    }

    @Test("a position belongs to the published state, except from a jump or a new item until the end of the turn")
    func published() async throws {
        try await rig.append([rig.spec("a"), rig.spec("b")])
        try await rig.perform(.play(rate: nil))
        rig.rig.run()
        var isPublished: [Bool] = []
        let observation = player.player.observeOnMain(\.currentItem) { [player] _, _ in isPublished.append(player.currentTime().isPublished) }
        rig.rig.advance(9)
        #expect(isPublished == [] && player.currentTime().isPublished)
        rig.rig.advance(2)
        #expect(isPublished == [false] && player.currentTime().isPublished && player.currentTime().currentTime == 1)
        try await rig.perform(.pause)
        rig.rig.run()
        // A seek to the present position changes the rule of the position, and not the state.
        let states = rig.states.count
        for _ in 0..<2 { _ = try await rig.seek(.time(5)) }
        rig.rig.run()
        #expect(rig.states.count == states + 1 && player.currentTime().isPublished)
        observation.invalidate()
    }

    @Test("a seek that takes long is in the state with its progress until it has landed (R-SEEK-23)")
    func long() async throws {
        try await load()
        rig.rig.engine.holdsSeeks = true
        let seek = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(5))), origin: "one") }
        await Task.yield()
        #expect(player.state.seek == nil)
        let source = rig.rig.engine.commands.lazy.compactMap { if case .load(let request) = $0 { request.source } else { nil } }.first
        let report = try #require(source?.seekProgress)
        report.begin()
        for (passed, progress) in [(10, nil), (20, 0.1), (61, 0.51)] as [(Int64, Double?)] {
            report.pass(passed, of: 110)
            rig.rig.run()
            #expect(player.state.seek == progress.map { PlayerState.Seek(target: 5, progress: $0) } && rig.states.last == player.state)
            rig.rig.advance(SeekProgress.period)
        }
        report.end()
        rig.rig.engine.completeSeek()
        rig.rig.run()
        #expect(try await seek.value == .seek(finished: true, time: 5, requested: 5) && player.state.seek == nil)
    }

    @Test("a seek that waits without bytes has progress 0 after the patience of seeks, and what the reader reports after that (R-SEEK-23)")
    func waiting() async throws {
        try await load()
        rig.rig.engine.holdsSeeks = true
        let seek = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(5))), origin: "one") }
        await Task.yield()
        rig.rig.advance(SeekProgress.patience * 0.9)
        #expect(player.state.seek == nil)
        rig.rig.advance(SeekProgress.patience * 0.2)
        rig.rig.run()
        #expect(player.state.seek == PlayerState.Seek(target: 5, progress: 0) && rig.states.last == player.state)
        let source = rig.rig.engine.commands.lazy.compactMap { if case .load(let request) = $0 { request.source } else { nil } }.first
        let report = try #require(source?.seekProgress)
        report.begin()
        report.pass(0, of: 10)
        rig.rig.advance(SeekProgress.patience)
        report.pass(4, of: 10)
        report.end()
        rig.rig.run()
        // The reader has ended its part, but the seek has not landed.
        #expect(player.state.seek?.progress == 0)
        rig.rig.engine.completeSeek()
        rig.rig.run()
        #expect(try await seek.value == .seek(finished: true, time: 5, requested: 5) && player.state.seek == nil)
    }

    @Test("a seek that supersedes one that takes long has no progress before it takes long itself (R-SEEK-23)")
    func supersedingLong() async throws {
        try await load()
        rig.rig.engine.holdsSeeks = true
        let first = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(5))), origin: "one") }
        await Task.yield()
        rig.rig.advance(SeekProgress.patience)
        rig.rig.run()
        #expect(player.state.seek?.target == 5)
        let second = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(7))), origin: "two") }
        await Task.yield()
        rig.rig.run()
        #expect(player.state.seek == nil)
        rig.rig.advance(SeekProgress.patience)
        rig.rig.run()
        #expect(player.state.seek == PlayerState.Seek(target: 7, progress: 0))
        _ = try await first.value
        rig.rig.engine.completeSeek()
        rig.rig.run()
        #expect(try await second.value == .seek(finished: true, time: 7, requested: 7) && player.state.seek == nil)
    }

    @Test("a seek before the item is ready waits for it, and is then refused if out of range (R-SEEK-06)")
    func beforeReady() async throws {
        rig.rig.add("slow", ScriptedMedium(seconds: 10, isHeld: true))
        try await rig.perform(.setItem(rig.spec(of: "slow"), play: nil, startTime: nil))
        rig.rig.run()
        let beyond = Task { @MainActor in try await player.perform(.seek(SeekCommand(target: .time(99))), origin: "test") }
        await Task.yield()
        rig.rig.engine.open("/slow")
        rig.rig.run()
        await #expect(throws: PlayerRefusal.outOfRange(end: 10)) { try await beyond.value }
    }

    @Test("tolerances are sent to the engine (R-SEEK-01, R-SEEK-17)")
    func tolerances() async throws {
        try await load()
        _ = try await rig.seek(.time(3), tolerance: .range(before: 0.5, after: 0.25))
        _ = try await rig.seek(.time(4), tolerance: .any)
        let requests = rig.rig.engine.commands.compactMap { if case .seek(let request) = $0 { request } else { nil } }
        #expect(requests.map(\.toleranceBefore) == [CMTime(value: 1, timescale: 2), .positiveInfinity])
        #expect(requests.map(\.toleranceAfter) == [CMTime(value: 1, timescale: 4), .positiveInfinity])
    }
}
