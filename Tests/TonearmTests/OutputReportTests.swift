import PlaybackEngine
import PlaybackTesting
import Player
import Synchronization
import Testing

@testable import tonearm

@Suite("The report about the output")
@MainActor struct OutputReportTests {
    private let rig = ScriptedRig()
    private let player: PlaylistPlayer
    private let failure = PlaybackError(.outputUnavailable, "No output is available.")
    private let device = OutputDescription(kind: "pulse", id: "d", name: "D")

    init() { player = PlaylistPlayer(environment: rig.environment, seed: 1) }

    private func report(_ choice: Options.Output = .pulse, write: @escaping @Sendable (String) -> Void = { _ in }) -> OutputReport {
        OutputReport(OutputChoices(choice, file: choice.path), player: player, log: Log(level: .warning, style: .journal, write: write))
    }
    private func play(_ medium: ScriptedMedium = ScriptedMedium(seconds: 10), rate: Double = 1) async throws {
        rig.add("song", medium)
        let spec = EntrySpec(source: MediaSource(.file(path: "/song")), url: "file:///song")
        _ = try await player.perform(.setItem(spec, play: nil, startTime: nil), origin: "test")
        _ = try await player.perform(.play(rate: rate), origin: "test")
        rig.run()
    }
    private func send(_ events: EngineEvent...) {
        for event in events { rig.engine.emit(event) }
        rig.run()
    }

    @Test("the program is not ready while nobody can hear it, and ready when the output is open again")
    func readiness() async throws {
        let report = report()
        defer { report.stop() }
        try await play()
        #expect(report.readiness() == nil)
        send(.outputLost(failure), .outputFailed(failure))
        #expect(report.readiness() == SilenceReason.noOutput.sentence)
        send(.outputChanged(device, format: .compactDisc, isAudible: true, by: .lost))
        #expect(report.readiness() == nil && !report.hasWriteFailed)
    }

    @Test("each reason has a sentence of its own")
    func sentences() { #expect(Set(SilenceReason.allCases.map(\.sentence)).count == SilenceReason.allCases.count) }

    @Test("a loss, the reason of the silence, and an output that cannot be opened are logged, each once")
    func lines() async throws {
        let lines = Mutex<[String]>([])
        let report = report { line in lines.withLock { $0.append(line) } }
        defer { report.stop() }
        try await play()
        let underlying = PlaybackError.Underlying(domain: "PulseAudio", code: 11, message: "Connection terminated")
        send(.outputLost(PlaybackError(.outputUnavailable, "The connection is lost.", underlying: underlying)), .outputFailed(failure))
        let logged = lines.withLock { $0 }
        #expect(logged.count { $0.contains("The connection is lost. (PulseAudio 11: Connection terminated)") } == 1)
        #expect(logged.count { $0.contains(SilenceReason.noOutput.sentence) } == 1)
        #expect(logged.count { $0.contains(failure.message) } == 1)
        #expect(player.state.output.error?.message == failure.message)
    }

    @Test("a failed item, and a rate that is found impossible, do not change readiness")
    func failedItem() async throws {
        let report = report()
        defer { report.stop() }
        try await play(ScriptedMedium(seconds: nil, failure: PlaybackError(.unsupportedFormat, "No.")))
        #expect(player.state.rate == 0 && report.readiness() == nil)
        try await play(ScriptedMedium(seconds: 10, isSeekable: false), rate: -1)
        #expect(player.state.lastChange.reason == .setRateFailed && report.readiness() == nil)
    }

    @Test("a file that cannot be written is remembered for the exit status")
    func fullDisk() async throws {
        let report = report(.file(path: "/x.wav"))
        defer { report.stop() }
        try player.moveSound(to: .output(driver: "null"), origin: "test")
        try await play()
        send(.outputLost(failure))
        #expect(report.hasWriteFailed && report.readiness() == SilenceReason.writeFailed.sentence && player.state.rate == 0)
    }
}
