import CoreMedia
import PlaybackTesting
import Synchronization
import Testing

@testable import PlaybackEngine

/// Tests of the engine while its feeder is blocked in a call of a reader.
@Suite("Interrupted reads")
struct InterruptedReadTests {
    private let a = ItemID(rawValue: 1)
    private let ramp = 220

    /// A weak reference to the engine, through which a reader's script sends a command. The engine owns the reader, so a strong reference would keep
    /// both alive.
    private final class Meanwhile: Sendable {
        private struct Reference: Sendable { weak var engine: SteppedEngine? }
        private let reference = Mutex(Reference())
        func set(_ engine: SteppedEngine) { reference.withLock { $0.engine = engine } }
        func send(_ command: TestCommand) {
            guard let engine = reference.withLock({ $0.engine }) else { return }
            engine.send(command)
            engine.stepEngine()
        }
    }

    private func seek(_ id: UInt64, to frame: Int64) -> TestCommand {
        .seek(SeekRequest(id: id, item: a, time: CMTime(value: frame, timescale: 44_100)))
    }

    /// Returns an engine that plays a medium. A read or seek of the medium sends `command` to the engine, and blocks until it is interrupted.
    private func rig(_ script: RampReader.Script, start: Int64 = 0, meanwhile command: TestCommand) -> EngineRig {
        let meanwhile = Meanwhile()
        var script = script
        script.whileBlocked = { meanwhile.send(command) }
        let rig = EngineRig(["a": script])
        meanwhile.set(rig.engine)
        rig.send(.setRate(1), .load(EngineRig.request(1, "a", start: CMTime(value: start, timescale: 44_100))), .setRunning(true))
        return rig
    }

    private func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    /// Returns the completed seeks, the failed seeks and the failed items among these events, as text and in order.
    private func outcome(_ events: [EngineEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .seekCompleted(let id, _, _, _): "completed \(id)"
            case .seekFailed(let id, _, let error): "failed \(id) \(error.code.rawValue)"
            case .failed: "item failed"
            default: nil
            }
        }
    }

    @Test("a seek interrupts a read that waits for its server, and is performed (R-SEEK-01)")
    func endsRead() {
        var script = RampReader.Script(frames: 300_000)
        script.blocksAt = 60_000
        let rig = rig(script, meanwhile: seek(1, to: 5000))
        #expect(outcome(rig.takeEvents()) == ["completed 1"])
        #expect(Array(values(rig.play(frames: 100_000 + ramp)).suffix(100_000)) == Array(5000..<105_000))
    }

    @Test("a newer seek interrupts and replaces one that waits (R-SEEK-02)")
    func endsSeek() {
        var script = RampReader.Script(frames: 300_000)
        script.blocksSeeksTo = 150_000
        let rig = rig(script, meanwhile: seek(2, to: 30_000))
        rig.play(frames: 1000)
        rig.send(seek(1, to: 150_000))
        #expect(outcome(rig.takeEvents()) == ["failed 1 cancelled", "completed 2"])
        #expect(Array(values(rig.play(frames: 50_000)).suffix(49_000)) == Array((80_000 - 49_000 - ramp)..<(80_000 - ramp)))
    }

    @Test("if the newer seek fails too, playback continues without a lost frame (R-SEEK-12)")
    func newerFails() {
        var script = RampReader.Script(frames: 300_000)
        script.blocksSeeksTo = 150_000
        script.failsSeeksTo = 200_000
        let rig = rig(script, meanwhile: seek(2, to: 200_000))
        var heard = values(rig.play(frames: 1000))
        rig.send(seek(1, to: 150_000))
        #expect(outcome(rig.takeEvents()) == ["failed 1 cancelled", "failed 2 network"])
        heard += values(rig.play(frames: 120_000))
        #expect(heard == Array(0..<121_000))
    }

    @Test("a pending start position is requested again after a seek during it has failed")
    func startIsAskedForAgain() {
        var script = RampReader.Script(frames: 300_000)
        script.blocksSeeksTo = 150_000
        script.failsSeeksTo = 200_000
        let rig = rig(script, start: 150_000, meanwhile: seek(1, to: 200_000))
        #expect(outcome(rig.takeEvents()) == ["failed 1 network"])
        #expect(Array(values(rig.play(frames: 5000)).suffix(4000)) == Array((155_000 - 4000 - ramp)..<(155_000 - ramp)))
    }

    @Test("work begun after an order is interrupted until the order is taken; an item's own interrupt stays raised")
    func orders() {
        let list = InterruptList()
        let interrupt = list.make(for: a)
        list.announceOrder()
        list.beginWork(interrupt)
        #expect(interrupt.isRaised)
        list.endWork()
        #expect(!interrupt.isRaised)
        list.takeOrder()
        list.beginWork(interrupt)
        #expect(!interrupt.isRaised)
        list.announceOrder()
        #expect(interrupt.isRaised)
        list.raise(a)
        list.endWork()
        #expect(interrupt.isRaised)
    }

    @Test("a read of an unseekable medium is not interrupted, because it could not be resumed")
    func unseekable() {
        var script = RampReader.Script(frames: 300_000)
        script.blocksAt = 60_000
        script.isSeekable = false
        let rig = rig(script, meanwhile: seek(1, to: 5000))
        // The blocked read must not be interrupted for a seek in a medium that does not support seeking. It then fails, so playback ends at its
        // position.
        #expect(values(rig.play(frames: 70_000)) == Array(0..<60_000))
    }
}
