import CoreMedia
import Platform
import PlaybackTesting
import Synchronization
import Testing

@testable import PlaybackEngine

@Suite("Engine with a clocked output")
struct ClockedEngineTests {
    private let a = ItemID(rawValue: 1)
    private let ramp = 220

    /// Records the frames that an output has played.
    private final class Played: FrameRecorder {
        private let all = Mutex<[Float]>([])
        var values: [Float] { all.withLock { $0 } }
        func begin(_ format: AudioFormat) {}
        func append(_ samples: UnsafeBufferPointer<Float>) { all.withLock { $0 += stride(from: 0, to: samples.count, by: 2).map { samples[$0] } } }
        func end() {}
    }
    private struct Provider: OutputProvider {
        let sink: ClockedSink
        func makeSink() -> any AudioSink { sink }
    }
    private final class Rig {
        let clock = VirtualClock()
        let played = Played()
        let sink: ClockedSink
        let engine: SteppedEngine
        init(_ script: RampReader.Script) {
            sink = ClockedSink(OutputDescription(kind: "file", id: "", name: "File"), clock: clock, recorder: played, isThreaded: false)
            let told = Told()
            engine = SteppedEngine(opener: ScriptedOpener(["a": script]), output: Provider(sink: sink), clock: clock) { told.append($0) }
            self.told = told
            send(.load(EngineRig.request(1, "a")), .setRunning(true))
        }
        let told: Told
        deinit { sink.close() }
        func send(_ commands: EngineCommand...) {
            for command in commands { engine.post(command) }
            engine.settle()
        }
        func pass(frames: Int) {
            for _ in 0..<(frames / 441) {
                clock.advance(by: 0.01)
                sink.step()
                engine.settle()
            }
        }
    }
    private final class Told: Sendable {
        private let events = Mutex<[EngineEvent]>([])
        func append(_ event: EngineEvent) { events.withLock { $0.append(event) } }
        /// Whether the buffer is empty, by the newest event `bufferChanged`; nil if there was no such event.
        var isEmpty: Bool? {
            events.withLock { events in
                events.reversed().lazy.compactMap { if case .bufferChanged(_, let level) = $0 { level.isEmpty } else { nil } }.first
            }
        }
    }

    @Test("a pause fades out, stops the position, and playback resumes with the next frame")
    func pauses() {
        let rig = Rig(.init(frames: 200_000))
        rig.pass(frames: 44_100)
        rig.send(.setRunning(false))
        rig.pass(frames: 44_100)
        #expect(!rig.sink.playhead.isRunning)
        #expect(rig.engine.clock.now().time.value == Int64(44_100 + ramp))
        rig.send(.setRunning(true))
        rig.pass(frames: 44_100)
        let values = rig.played.values
        #expect(values.count >= 88_000)
        #expect(values[..<44_100].elementsEqual((0..<44_100).map(Float.init)))
        #expect(values[(44_100 + 2 * ramp)...].enumerated().allSatisfy { $1 == Float(44_100 + 2 * ramp + $0) })
        #expect(zip(values, values.dropFirst()).allSatisfy { abs($1 - $0) < 45_000 / Float(ramp) + 1 })
    }

    @Test("a seek plays its target frame after 5 ms of crossfade")
    func seeks() {
        let rig = Rig(.init(frames: 200_000))
        rig.pass(frames: 44_100)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 150_001, timescale: 44_100))))
        rig.pass(frames: 44_100)
        let values = rig.played.values
        #expect(values[..<44_100].elementsEqual((0..<44_100).map(Float.init)))
        #expect(values[(44_100 + ramp)...].enumerated().allSatisfy { $1 == Float(150_001 + $0) })
    }

    @Test("the buffer is reported as empty after the last available frame was heard (R-BUF-03)")
    func stalls() {
        var script = RampReader.Script(frames: 200_000)
        script.failsAt = 30_000
        let rig = Rig(script)
        rig.pass(frames: 29_988)
        #expect(rig.told.isEmpty == false)
        rig.pass(frames: 882)
        #expect(rig.told.isEmpty == true)
        #expect(rig.engine.clock.now().rate == 0)
    }
}
