import CoreMedia
import PlaybackTesting
import Synchronization
import Testing

@testable import PlaybackEngine

/// The examination of the rest of a medium by the feeder, which makes its duration exact.
@Suite("The examination of a medium whose duration is estimated (R-ASSET-16)")
struct ExaminationTests {
    private let a = ItemID(rawValue: 1)

    /// What a reader was asked to do, in order.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])
        private struct Reference: Sendable { weak var engine: SteppedEngine? }
        private let reference = Mutex(Reference())
        func note(_ line: String) { lines.withLock { $0.append(line) } }
        var all: [String] { lines.withLock { $0 } }
        /// Sets the engine, to which the reader's script sends a command.
        func set(_ engine: SteppedEngine) { reference.withLock { $0.engine = engine } }
        func send(_ command: TestCommand) {
            guard let engine = reference.withLock({ $0.engine }) else { return }
            engine.send(command)
            engine.stepEngine()
        }
    }

    /// A medium of 1,000,000 frames, whose duration is estimated until three portions have been examined.
    private func script(_ log: Log) -> RampReader.Script {
        var script = RampReader.Script(frames: 1_000_000)
        script.duration = .estimated(frames: 900_000, sampleRate: 44_100)
        script.portions = 3
        script.afterRead = { log.note("read to \($0)") }
        script.afterExamination = { log.note("examined \($0)") }
        return script
    }

    private func rig(_ script: RampReader.Script, _ log: Log) -> EngineRig {
        let rig = EngineRig(["a": script])
        log.set(rig.engine)
        rig.send(.setRate(1), .load(EngineRig.request(1, "a")))
        return rig
    }

    @Test("the duration becomes exact before any audio is heard")
    func exact() {
        let log = Log(), rig = rig(script(log), log)
        let durations = rig.takeEvents().compactMap { if case .durationChanged(a, let duration) = $0 { duration } else { nil } }
        #expect(durations == [.exact(frames: 1_000_000, sampleRate: 44_100)])
        #expect(log.all.count { $0.hasPrefix("examined") } == 3)
    }

    @Test("audio is read ahead before the medium is examined")
    func sequence() {
        let log = Log()
        _ = rig(script(log), log)
        let first = log.all.firstIndex { $0.hasPrefix("examined") }
        #expect(first.map { log.all[..<$0].contains { $0 == "read to 44000" } } == true)
        #expect(log.all.suffix(3) == ["examined 1", "examined 2", "examined 3"])
    }

    @Test("a seek does not wait for the rest of the examination, which continues after it")
    func seek() throws {
        let log = Log()
        var script = script(log)
        let seek = SeekRequest(id: 1, item: a, time: CMTime(value: 500_000, timescale: 44_100))
        script.afterExamination = { number in
            log.note("examined \(number)")
            if number == 1 { log.send(.seek(seek)) }
        }
        let rig = rig(script, log)
        let after = log.all.drop { $0 != "examined 1" }.dropFirst()
        #expect(after.first == "read to 501000")
        #expect(after.suffix(2) == ["examined 2", "examined 3"])
        #expect(rig.takeEvents().contains { if case .seekCompleted(1, a, _, _) = $0 { true } else { false } })
    }

    @Test("an error of the examination does not end playback")
    func error() {
        let log = Log()
        var script = script(log)
        script.failsExamination = true
        let rig = rig(script, log)
        rig.send(.setRunning(true))
        #expect(rig.play(frames: 50_000).suffix(1000).map(\.value) == (49_000..<50_000).map(Float.init))
        #expect(!rig.takeEvents().contains { if case .failed = $0 { true } else { false } })
    }

    @Test("an item that is played backwards is examined too")
    func backwards() {
        let log = Log(), rig = EngineRig(["a": script(log)])
        rig.send(.setRate(-1), .load(EngineRig.request(1, "a", start: CMTime(value: 500_000, timescale: 44_100))), .setRunning(true))
        #expect(log.all.last == "examined 3")
    }
}
