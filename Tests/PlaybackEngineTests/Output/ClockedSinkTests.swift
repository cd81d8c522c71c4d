import Platform
import Synchronization
import Testing

@testable import PlaybackEngine

@Suite("Clocked sinks")
struct ClockedSinkTests {
    private let rig = ClockedRig()

    @Test("a clocked sink consumes frames in real time, and its playhead is exact")
    func consumesInRealTime() throws {
        try rig.open()
        rig.write(1_000)
        #expect(rig.sink.step() == nil)
        try rig.sink.start()
        rig.clock.advance(by: 0.25)
        #expect(rig.sink.playhead.frame(at: rig.clock.now, sampleRate: 1_000) == 250)
        let next = try #require(rig.sink.step())
        #expect(rig.source.renderedFrames == 250)
        #expect(rig.recorder.frames == Array(0..<250))
        #expect(abs(next - rig.clock.now - 0.25) < 0.001)
        #expect(rig.events.take() == ["consumed"])
    }

    @Test("stop keeps frames that were not heard, and start resumes with the next frame")
    func stopKeeps() throws {
        try rig.open()
        rig.write(1_000)
        try rig.sink.start()
        rig.clock.advance(by: 0.1)
        try rig.sink.stop()
        try rig.sink.stop()
        #expect(rig.sink.playhead == Playhead(frame: 100, hostTime: rig.clock.now, isRunning: false))
        rig.clock.advance(by: 10)
        #expect(rig.sink.step() == nil)
        #expect(rig.sink.playhead.frame(at: rig.clock.now, sampleRate: 1_000) == 100)
        try rig.sink.start()
        try rig.sink.start()
        rig.clock.advance(by: 0.05)
        rig.sink.step()
        #expect(rig.recorder.frames == Array(0..<150))
    }

    @Test("flush withdraws all frames that were not heard, and numbering resumes there")
    func flushWithdraws() throws {
        try rig.open()
        rig.write(1_000)
        try rig.sink.start()
        rig.clock.advance(by: 0.2)
        #expect(try rig.sink.flush() == 200)
        #expect(rig.source.writtenFrames == 200)
        #expect(rig.sink.playhead == Playhead(frame: 200, hostTime: rig.clock.now, isRunning: false))
        rig.clock.advance(by: 1)
        rig.write(300)
        try rig.sink.start()
        rig.clock.advance(by: 0.1)
        rig.sink.step()
        #expect(rig.recorder.frames == Array(0..<300))
    }

    @Test("the sink asks for a call at the end of its frames, reports one underflow, and then waits")
    func runsDry() throws {
        try rig.open()
        rig.write(120)
        try rig.sink.start()
        let next = try #require(rig.sink.step())
        #expect(abs(next - rig.clock.now - 0.12) < 0.001)
        rig.clock.advance(by: 0.5)
        #expect(rig.sink.step() == nil)
        #expect(rig.events.take() == ["consumed", "underflow"])
        #expect(rig.sink.playhead == Playhead(frame: 120, hostTime: rig.clock.now, isRunning: false))
        rig.clock.advance(by: 1)
        rig.write(100)
        #expect(rig.sink.playhead == Playhead(frame: 120, hostTime: rig.clock.now, isRunning: true))
        rig.clock.advance(by: 0.04)
        rig.sink.step()
        #expect(rig.recorder.frames == Array(0..<160))
    }

    @Test("a sink started without frames plays the first frame that arrives, and reports no underflow")
    func startsEmpty() throws {
        try rig.open(base: 77)
        try rig.sink.start()
        #expect(rig.sink.step() == nil)
        #expect(rig.sink.playhead == Playhead(frame: 77, hostTime: rig.clock.now, isRunning: false))
        #expect(rig.events.take() == [])
        rig.clock.advance(by: 3)
        rig.write(10)
        #expect(rig.sink.playhead == Playhead(frame: 77, hostTime: rig.clock.now, isRunning: true))
    }

    @Test("a ring shorter than the interval is checked when half of it has been played")
    func shortRing() throws {
        try rig.open(ring: 128)
        rig.write(128)
        try rig.sink.start()
        let next = try #require(rig.sink.step())
        #expect(abs(next - rig.clock.now - 0.064) < 0.001)
    }

    @Test("after close no event is sent, every call throws, and another close does nothing")
    func close() throws {
        try rig.open()
        rig.write(100)
        try rig.sink.start()
        rig.clock.advance(by: 0.03)
        rig.sink.close()
        rig.sink.close()
        #expect(rig.sink.playhead == Playhead(frame: 30, hostTime: rig.clock.now, isRunning: false))
        rig.clock.advance(by: 1)
        rig.sink.sourceDidFill()
        rig.sink.setVolume(0.5, isMuted: false)
        #expect(rig.sink.step() == nil)
        #expect(rig.events.take() == [])
        #expect(throws: PlaybackError.self) { try rig.sink.start() }
        #expect(throws: PlaybackError.self) { try rig.sink.stop() }
        #expect(throws: PlaybackError.self) { try rig.sink.flush() }
    }

    @Test("a recorder that fails loses the output: one event, and every later call throws its error")
    func recorderFails() throws {
        try rig.open()
        rig.write(100)
        try rig.sink.start()
        rig.recorder.fail(with: PlaybackError(.outputUnavailable, "full"))
        rig.clock.advance(by: 0.05)
        #expect(rig.sink.step() == nil)
        #expect(rig.sink.step() == nil)
        #expect(rig.events.take() == ["lost full"])
        #expect(throws: PlaybackError(.outputUnavailable, "full")) { try rig.sink.stop() }
        #expect(!rig.sink.playhead.isRunning)
        rig.sink.close()
    }

    @Test("volume and mute change the recorded samples from the heard frame on, over 40 ms (R-VOL-01, R-LNX-43)")
    func volume() throws {
        try rig.open(sampleRate: 1_000, constant: 1)
        rig.write(1_000)
        try rig.sink.start()
        rig.clock.advance(by: 0.1)
        rig.sink.setVolume(0.5, isMuted: false)
        rig.clock.advance(by: 0.1)
        rig.sink.setVolume(0.5, isMuted: true)
        rig.clock.advance(by: 0.1)
        rig.sink.setVolume(1, isMuted: false)
        rig.clock.advance(by: 0.1)
        rig.sink.step()
        let samples = rig.recorder.samples
        #expect(samples[0..<100].allSatisfy { $0 == 1 })
        #expect(zip(samples[99..<139], samples[100..<140]).allSatisfy { abs($0 - $1 - 0.5 / 40) < 1e-4 })
        #expect(samples[139..<200].allSatisfy { $0 == 0.5 })
        #expect(samples[239..<300].allSatisfy { $0 == 0 })
        #expect(samples[339..<400].allSatisfy { $0 == 1 })
    }

    @Test("a volume that is set while nothing plays applies to the next frame (R-LNX-43)")
    func stoppedVolume() throws {
        try rig.open(sampleRate: 1_000, constant: 1)
        rig.write(200)
        try rig.sink.start()
        rig.clock.advance(by: 0.05)
        try rig.sink.stop()
        rig.sink.setVolume(0.5, isMuted: false)
        try rig.sink.start()
        rig.clock.advance(by: 0.05)
        rig.sink.step()
        #expect(rig.recorder.samples == [Float](repeating: 1, count: 50) + [Float](repeating: 0.5, count: 50))
    }

    @Test("a volume set before opening applies to the first sample; a volume that is not a number is silence (R-VOL-02)")
    func initialVolume() throws {
        rig.sink.setVolume(0.25, isMuted: false)
        try rig.open(constant: 1)
        rig.write(100)
        try rig.sink.start()
        rig.clock.advance(by: 0.1)
        rig.sink.step()
        #expect(rig.recorder.samples.allSatisfy { $0 == 0.25 })
        rig.sink.setVolume(.nan, isMuted: false)
        rig.write(100)
        rig.clock.advance(by: 0.1)
        rig.sink.step()
        #expect(rig.recorder.samples.last == 0)
    }

    @Test("the sink's thread plays all available frames, and then waits for more")
    func thread() throws {
        let provider = NullOutputProvider()
        let sink = provider.makeSink()
        let source = RenderRing(minimumCapacity: 4_096, channelCount: 1)
        let dry = WakeSignal()
        try sink.open(AudioFormat(sampleRate: 100_000, channelLayout: .mono), source: source, base: 0) { event in
            if case .underflow = event { dry.raise() }
        }
        for round in 1...3 {
            _ = source.write([Float](repeating: 0, count: 2_000), frameCount: 2_000)
            sink.sourceDidFill()
            if round == 1 { try sink.start() }
            #expect(dry.wait(until: MonotonicClock().now + 20))
            #expect(source.renderedFrames == Int64(round * 2_000))
        }
        sink.close()
        #expect(!sink.isAudible)
    }
}

/// A clocked sink at 1,000 frames per second, which the test steps, and which records the played frames in memory. Frame n of the played audio has
/// the value n, or a constant if one is given.
private final class ClockedRig {
    let clock = StillClock()
    let recorder = MemoryRecorder()
    let events = EventNames()
    let sink: ClockedSink
    private(set) var source = RenderRing(minimumCapacity: 1, channelCount: 1)
    private var constant: Float?

    init() {
        sink = ClockedSink(OutputDescription(kind: "test", id: "", name: ""), clock: clock, recorder: recorder, isThreaded: false)
    }

    func open(base: Int64 = 0, sampleRate: Int = 1_000, ring: Int = 2_048, constant: Float? = nil) throws {
        self.constant = constant
        source = RenderRing(minimumCapacity: ring, channelCount: 1, base: base)
        let events = events
        try sink.open(AudioFormat(sampleRate: sampleRate, channelLayout: .mono), source: source, base: base) { events.append($0) }
    }

    func write(_ count: Int) {
        let first = source.writtenFrames
        let samples = (0..<count).map { constant ?? Float(first + Int64($0)) }
        #expect(source.write(samples, frameCount: count) == count)
        sink.sourceDidFill()
    }
}

private final class MemoryRecorder: FrameRecorder {
    private let state = Mutex<(samples: [Float], failure: PlaybackError?)>(([], nil))
    func begin(_ format: AudioFormat) throws(PlaybackError) {}
    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        let added = Array(samples)
        let failure = state.withLock { state in
            if state.failure == nil { state.samples += added }
            return state.failure
        }
        if let failure { throw failure }
    }
    func end() {}
    func fail(with error: PlaybackError) { state.withLock { $0.failure = error } }
    var samples: [Float] { state.withLock { $0.samples } }
    var frames: [Int] { samples.map { Int($0) } }
}

/// A host clock that changes only when the test sets it.
final class StillClock: HostClock {
    private let time = Mutex(HostTime(seconds: 1_000))
    var now: HostTime { time.withLock { $0 } }
    func advance(by seconds: Double) { time.withLock { $0 = $0 + seconds } }
}

private final class EventNames: Sendable {
    private let names = Mutex<[String]>([])
    func append(_ event: AudioSinkEvent) {
        let name =
            switch event {
            case .consumed: "consumed"
            case .underflow: "underflow"
            case .corrected: "corrected"
            case .signal(let signal): "\(signal)"
            case .volumeChanged: "volume"
            case .deviceVolumeChanged: "device volume"
            case .lost(let error): "lost \(error.message)"
            case .changed: "changed"
            }
        names.withLock { $0.append(name) }
    }
    func take() -> [String] {
        names.withLock { names in
            defer { names = [] }
            return names
        }
    }
}
