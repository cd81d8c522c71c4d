import CoreMedia
@testable import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

/// A device with a sample rate of its own. The ramps of these tests count frames at the rate of the output, so a value is a position at that rate.
@Suite("The device's sample rate")
struct DeviceRateTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)
    private let quiet = AudioFormat(sampleRate: 96_000, channelLayout: .stereo)
    private let at48 = AudioFormat(sampleRate: 48_000, channelLayout: .stereo)

    private func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    private func rig(_ rate: Int?, _ scripts: [String: RampReader.Script] = ["a": .init(frames: 400_000)]) -> EngineRig {
        let rig = EngineRig(scripts)
        rig.sink.setSampleRate(rate)
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        return rig
    }

    @Test("the stream has the device's rate, and each frame is played once (R-LNX-41)", arguments: [8_000, 44_100, 48_000, 192_000])
    func opensAtDeviceRate(_ rate: Int) {
        let rig = rig(rate)
        #expect(rig.sink.opens.last == AudioFormat(sampleRate: rate, channelLayout: .stereo))
        #expect(values(rig.play(frames: 20_000)) == Array(0..<20_000))
        #expect(rig.sink.opens.count == (rate == 44_100 ? 1 : 2))
    }

    @Test("one stream serves items of all rates (R-LNX-41)")
    func oneStream() {
        let rig = rig(48_000, ["a": .init(frames: 30_000), "b": .init(frames: 300_000, base: 500_000, format: quiet)])
        rig.send(.setting { $0.outputRates.standard = .device })
        let opens = rig.sink.opens.count
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        #expect(values(rig.play(frames: 40_000)) == Array(0..<30_000) + Array(500_000..<510_000))
        rig.send(.load(EngineRig.request(3, "b")))
        rig.play(frames: 5_000)
        rig.send(.load(EngineRig.request(4, "a")))
        rig.play(frames: 5_000)
        #expect(rig.sink.opens.count == opens)
    }

    @Test("a device whose rate the engine does not support gets the item's rate (R-LNX-41)", arguments: [0, 1, 3_999, 384_001, 1_000_000])
    func impossibleRates(_ rate: Int) {
        #expect(rig(rate).sink.opens == [.compactDisc])
    }

    @Test("after a move to a device of another rate, playback continues there at the first frame that was not played (R-LNX-42)")
    func moves() {
        let rig = rig(44_100)
        let before = values(rig.play(frames: 44_100))
        #expect(before == Array(0..<44_100))
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        #expect(rig.sink.opens.last == at48)
        #expect(abs(rig.now.time.seconds - 1) < 0.001)
        // The audio begins inside the item, so its first 5 ms are mirrored as a lead-in.
        let after = values(rig.play(frames: 48_000))
        #expect(Array(after.dropFirst(240)) == Array(48_000..<(96_000 - 240)))
        #expect(abs(rig.now.time.seconds - 1.995) < 0.001)
        #expect(rig.sink.underruns == 0)
    }

    @Test("a move to a device of another rate is one event, which names the device and the rate of its new stream (R-LNX-42)")
    func reportsMoveOnce() {
        let rig = rig(44_100)
        rig.play(frames: 44_100)
        _ = rig.takeOutputs()
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        let outputs = rig.takeOutputs()
        #expect(outputs.map(\.cause) == [.moved])
        #expect(outputs.map(\.format) == [at48])
    }

    @Test("if a moved stream cannot be opened at the rate of its new device, it is lost, and the next output is reported (R-LNX-34, R-LNX-42)")
    func losesMovedDevice() {
        let rig = rig(44_100)
        rig.play(frames: 44_100)
        _ = rig.takeOutputs()
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "The device was removed."))
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        #expect(rig.takeEvents().contains { if case .outputLost = $0 { true } else { false } })
        rig.send(.open(rig.fallback))
        #expect(rig.fallback.isOpen)
        #expect(rig.takeOutputs().map(\.output) == [rig.fallback.description])
    }

    @Test("a move while playback is paused keeps the position (R-LNX-42)")
    func movesPaused() {
        let rig = rig(44_100)
        rig.play(frames: 44_100)
        rig.send(.setRunning(false))
        rig.play(frames: 4_410)
        let position = rig.now.time.seconds
        rig.sink.move(toSampleRate: 96_000)
        rig.engine.settle()
        #expect(abs(rig.now.time.seconds - position) < 0.0001)
        rig.send(.setRunning(true))
        let heard = values(rig.play(frames: 9_600)).dropFirst(480)
        #expect(heard.first == Int((position * 96_000).rounded()))
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 + 1 == $1 })
    }

    @Test("a move near the end of an item keeps its follower (R-LNX-42)")
    func movesAtJoint() {
        let rig = rig(44_100, ["a": .init(frames: 44_100), "b": .init(frames: 300_000, base: 500_000)])
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 44_100)
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        let heard = values(rig.play(frames: 10_000)).filter { $0 >= 500_000 }
        #expect(heard == Array(500_000..<510_000))
        #expect(rig.now.item == b)
    }

    @Test("a seek that is in progress during a move lands at its target (R-LNX-42)")
    func movesDuringSeek() {
        let rig = rig(44_100)
        rig.play(frames: 10_000)
        rig.engine.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(seconds: 5, preferredTimescale: 1000))))
        rig.sink.move(toSampleRate: 48_000)
        rig.engine.settle()
        let heard = values(rig.play(frames: 20_000))
        #expect(heard.contains(240_000))
        #expect(rig.now.time.seconds > 5)
    }

    @Test("a device that changes its rate again and again does not interrupt playback without end (R-LNX-42)")
    func restlessDevice() {
        let rig = rig(44_100)
        rig.play(frames: 4_410)
        for number in 0..<100 {
            rig.sink.move(toSampleRate: number % 2 == 0 ? 48_000 : 44_100)
            rig.engine.settle()
        }
        #expect(rig.sink.opens.count < 12)
        #expect(rig.play(frames: 10_000).count == 10_000)
    }

    @Test("another output without a rate of its own continues at the present rate (R-LNX-42)")
    func movesToOutputWithoutRate() {
        let rig = rig(48_000)
        rig.play(frames: 48_000)
        rig.sink.lose()
        rig.engine.settle()
        rig.send(.open(rig.fallback))
        #expect(rig.fallback.opens.last == at48)
        #expect(values(rig.play(frames: 20_000)).suffix(10_000).allSatisfy { $0 > 48_000 })
    }

    @Test(
        "a device that vanishes between the question for its rate and its opening is replaced by the next output (R-LNX-34)",
        arguments: [false, true])
    func vanishes(_ whileMoving: Bool) {
        let clock = VirtualClock()
        let vanishing = CaptureSink(clock: clock)
        let fallback = CaptureSink(clock: clock, kind: "fallback")
        let device = VanishingSink(vanishing, openings: whileMoving ? 2 : 1)
        let engine = SteppedEngine(
            opener: ScriptedOpener(["a": .init(frames: 400_000)]), output: VanishingOutput(sink: device), clock: clock, events: { _ in })
        func play(_ sink: CaptureSink, frames: Int, rate: Int) -> [Int] {
            clock.advance(by: Double(frames) / Double(rate))
            sink.play(frames: frames)
            engine.settle()
            return values(sink.takeHeard())
        }
        vanishing.setSampleRate(48_000)
        engine.send(.load(EngineRig.request(1, "a")))
        engine.send(.setRunning(true))
        engine.settle()
        if whileMoving {
            #expect(play(vanishing, frames: 9_600, rate: 48_000) == Array(0..<9_600))
            vanishing.move(toSampleRate: 96_000)
            engine.settle()
        }
        #expect(!vanishing.isRunning)
        engine.send(.open(fallback))
        engine.settle()
        // The next output has no rate of its own. It takes that of the item, or the present one during playback.
        let rate = whileMoving ? 96_000 : 44_100
        #expect(fallback.opens.last?.sampleRate == rate)
        let heard = play(fallback, frames: 9_600, rate: rate)
        // The audio after a move begins inside the item, so its first 5 ms are mirrored as a lead-in.
        let first = whileMoving ? 19_200 : 0
        let lead = whileMoving ? 480 : 0
        #expect(Array(heard.dropFirst(lead)) == Array(first..<(first + 9_600 - lead)))
        engine.shutDown()
    }
}

/// An output whose device no longer exists after a number of openings.
private final class VanishingSink: AudioSink {
    private let sink: CaptureSink
    private let left: Mutex<Int>

    init(_ sink: CaptureSink, openings: Int) {
        self.sink = sink
        left = Mutex(openings)
    }

    func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        let exists = left.withLock { left in
            left -= 1
            return left >= 0
        }
        guard exists else { throw PlaybackError(.outputUnavailable, "The device was removed.") }
        try sink.open(format, source: source, base: base, events: events)
    }
    func start() { sink.start() }
    func stop() { sink.stop() }
    func hold() -> Int64? { sink.hold() }
    func replace(from frame: Int64) -> Int64 { sink.replace(from: frame) }
    func flush() -> Int64 { sink.flush() }
    func sourceDidFill() { sink.sourceDidFill() }
    func close() { sink.close() }
    func setVolume(_ volume: Float, isMuted: Bool) { sink.setVolume(volume, isMuted: isMuted) }
    var playhead: Playhead { sink.playhead }
    var description: OutputDescription { sink.description }
    var isAudible: Bool { true }
    var speakers: ChannelLayout? { sink.speakers }
    var sampleRate: Int? { sink.sampleRate }
}

private struct VanishingOutput: OutputProvider {
    let sink: VanishingSink
    func makeSink() -> any AudioSink { sink }
}
