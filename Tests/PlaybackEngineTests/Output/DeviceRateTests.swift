import CoreMedia
@testable import PlaybackEngine
import PlaybackTesting
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
        let events = rig.takeEvents()
        #expect(events.count { if case .outputChanged(_, _, .moved) = $0 { true } else { false } } == 1)
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
        #expect(heard.suffix(9_000).first.map { $0 < 501_000 } == true)
        #expect(zip(heard.dropFirst(240), heard.dropFirst(241)).allSatisfy { $0 + 1 == $1 })
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
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "The device was removed."))
        rig.sink.lose()
        rig.engine.settle()
        #expect(rig.fallback.opens.last == at48)
        #expect(values(rig.play(frames: 20_000)).suffix(10_000).allSatisfy { $0 > 48_000 })
    }
}
