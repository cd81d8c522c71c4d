import Platform
import PlaybackEngine
import PlaybackTesting
import Player
import Synchronization
import Testing

@testable import tonearm

@Suite("Readiness without an output")
@MainActor struct OutputRecoveryTests {
    private let rig = ScriptedRig()
    private let player: PlaylistPlayer
    private let failure = PlaybackError(.outputUnavailable, "No output is available.")
    nonisolated private static let fallible = [Options.Output.pulse, .file(path: "/x.wav")]

    init() { player = PlaylistPlayer(environment: rig.environment, seed: 1) }

    private func recovery(_ choice: Options.Output, write: @escaping @Sendable (String) -> Void = { _ in }) -> OutputRecovery {
        // The interval between two searches for an output is a day, so that none takes place during the test.
        let recovery = OutputRecovery(
            OutputChoices(choice, file: choice.path), player: player, interval: 86_400, log: Log(level: .warning, style: .journal, write: write))
        recovery.start()
        rig.run()
        return recovery
    }
    private func load(_ medium: ScriptedMedium, rate: Double) async throws {
        rig.add("song", medium)
        let spec = EntrySpec(source: MediaSource(.file(path: "/song")), url: "file:///song")
        _ = try await player.perform(.setItem(spec, play: nil, startTime: nil), origin: "test")
        _ = try await player.perform(.play(rate: rate), origin: "test")
        rig.run()
    }

    @Test("an output that cannot be opened makes the program not ready, until something plays", arguments: fallible)
    func noOutput(choice: Options.Output) async throws {
        let recovery = recovery(choice)
        defer { recovery.stop() }
        try await load(ScriptedMedium(seconds: 10, isHeld: true), rate: 1)
        rig.engine.emit(.outputFailed(failure))
        rig.run()
        #expect(recovery.readiness() == "The selected output cannot be opened.")
        try await load(ScriptedMedium(seconds: 10), rate: 1)
        rig.advance(1)
        #expect(recovery.readiness() == nil)
    }

    @Test("the error of a lost output and that of an output that cannot be opened are logged, each once")
    func errorsAreLogged() async throws {
        let lines = Mutex<[String]>([])
        let recovery = recovery(.pulse) { line in lines.withLock { $0.append(line) } }
        defer { recovery.stop() }
        try await load(ScriptedMedium(seconds: 10), rate: 1)
        let underlying = PlaybackError.Underlying(domain: "PulseAudio", code: 11, message: "Connection terminated")
        rig.engine.emit(.outputLost(PlaybackError(.outputUnavailable, "The connection is lost.", underlying: underlying)))
        rig.engine.emit(.outputFailed(failure))
        rig.run()
        let logged = lines.withLock { $0 }
        #expect(logged.count == 2)
        #expect(logged.first?.contains("The connection is lost. (PulseAudio 11: Connection terminated)") == true)
        #expect(logged.last?.contains(failure.message) == true)
        #expect(player.state.output.error?.message == failure.message)
    }

    @Test("a failed item does not change readiness", arguments: fallible + [.auto, .null])
    func failedItem(choice: Options.Output) async throws {
        let recovery = recovery(choice)
        defer { recovery.stop() }
        let before = recovery.readiness()
        try await load(ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "No.")), rate: 1)
        #expect(player.state.rate == 0)
        #expect(recovery.readiness() == before)
    }

    @Test("a rate that is found impossible after opening does not change readiness", arguments: fallible)
    func impossibleRate(choice: Options.Output) async throws {
        let recovery = recovery(choice)
        defer { recovery.stop() }
        let before = recovery.readiness()
        try await load(ScriptedMedium(seconds: 10, isSeekable: false), rate: -1)
        #expect(player.state.rate == 0)
        #expect(player.state.lastChange.reason == .setRateFailed)
        #expect(recovery.readiness() == before)
    }

    @Test("with the null output as a fallback the program is always ready", arguments: [Options.Output.auto, .null])
    func nullOutput(choice: Options.Output) async throws {
        let recovery = recovery(choice)
        defer { recovery.stop() }
        try await load(ScriptedMedium(seconds: 10, isHeld: true), rate: 1)
        rig.engine.emit(.outputFailed(failure))
        rig.run()
        #expect(recovery.readiness() == nil)
    }

    @Test("a sound server that disappears makes the program not ready, and one that reappears makes it ready")
    func serverGoes() async throws {
        let server = FakeServer()
        let driver = OutputDriver(id: "pulse", name: "Server", connect: { server.connect($1) }, provider: { _ in NullOutputProvider() })
        let recovery = OutputRecovery(
            OutputChoices(.pulse, drivers: [driver]), player: player, interval: 0.001, log: Log(level: .error, style: .plain, write: { _ in }))
        recovery.start()
        defer { recovery.stop() }
        #expect(recovery.readiness() == "The sound server has not responded yet.")
        server.comeUp()
        await until { recovery.readiness() == nil }
        server.goDown()
        await until { recovery.readiness() == "The connection to the sound server was lost." }
        server.comeUp()
        await until { recovery.readiness() == nil }
    }

    /// Lets the main actor and the thread of the output recovery continue until `isDone` returns true. After a minute the test fails.
    private func until(_ isDone: () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
        let clock = MonotonicClock(), end = clock.now + 60
        while !isDone() {
            guard clock.now < end else {
                Issue.record("the condition was not met within a minute", sourceLocation: sourceLocation)
                return
            }
            await Task.yield()
        }
    }

    private final class FakeServer: Sendable {
        private let state = Mutex<(isUp: Bool, onLoss: (@Sendable () -> Void)?)>((false, nil))
        func connect(_ onLoss: @escaping @Sendable () -> Void) -> (any Sendable)? {
            state.withLock { state in
                guard state.isUp else { return nil }
                state.onLoss = onLoss
                return true
            }
        }
        func comeUp() { state.withLock { $0.isUp = true } }
        func goDown() {
            state.withLock { state in
                state.isUp = false
                return state.onLoss
            }?()
        }
    }
}
