import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Pauses")
struct PauseTests {
    private let a = ItemID(rawValue: 1)
    private let ramp = 220

    private func rising(_ index: Int) -> Double { (Double(index) + 0.5) / Double(ramp) }

    private func playing(_ frames: Int64 = 200_000, rate: Double = 1) -> EngineRig {
        let rig = EngineRig(["a": .init(frames: frames), "b": .init(frames: 100_000, base: 1_000_000)])
        rig.send(.setRate(rate), .load(EngineRig.request(1, "a")), .setRunning(true))
        return rig
    }

    /// Whether the heard frames are the media frames from `first` on, each once and in order, with its value multiplied by `gain` of its number.
    private func isHeard(_ heard: [CaptureSink.Heard], from first: Int = 0, scaledBy gain: (Int) -> Double) -> Bool {
        heard.enumerated().allSatisfy { index, frame in abs(Double(frame.value) - Double(first + index) * gain(first + index)) < 0.05 }
    }

    @Test("a pause fades out in 5 ms and stops the device; play fades in from the next frame", arguments: [1.0, 2, 0.5])
    func fades(rate: Double) {
        let rig = playing(rate: rate)
        var heard = rig.play(frames: 12_345)
        rig.send(.setRunning(false))
        #expect(rig.sink.isRunning)
        heard += rig.play(frames: 5000)
        #expect(heard.count == 12_345 + ramp)
        #expect(!rig.sink.isRunning)
        #expect(rig.now.time.value == Int64((Double(12_345 + ramp) * rate).rounded()))
        #expect(rig.now.rate == 0)
        rig.send(.setRunning(true))
        heard += rig.play(frames: 20_000)
        #expect(heard.count == 32_345 + ramp)
        #expect(
            heard.enumerated().allSatisfy { index, frame in
                let into = index - 12_345
                let gain = into < 0 || into >= 2 * ramp ? 1 : into < ramp ? 1 - rising(into) : rising(into - ramp)
                return abs(Double(frame.value) - (Double(index) * rate).rounded(.down) * gain) < 0.05
            })
        #expect(rig.engine.clock.timeline.segments.last?.mediaFrame(at: 32_345) == 32_345 * rate)
    }

    @Test("play during the fade-out fades in again without a gap")
    func resumesInFade() {
        let rig = playing()
        var heard = rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        heard += rig.play(frames: 100)
        rig.send(.setRunning(true))
        heard += rig.play(frames: 10_000)
        #expect(rig.sink.underruns == 0)
        #expect(
            isHeard(heard) { frame in
                let into = frame - 10_000
                return into < 0 || into >= 2 * ramp ? 1 : into < ramp ? 1 - rising(into) : rising(into - ramp)
            })
    }

    @Test("a pause reports its position once, after the fade-out")
    func tellsOnce() {
        let rig = playing()
        rig.play(frames: 10_000)
        _ = rig.takeEvents()
        rig.send(.setRunning(false))
        #expect(rig.takeEvents().isEmpty)
        rig.play(frames: 1000)
        let told = rig.takeEvents().count { if case .timelineChanged = $0 { true } else { false } }
        #expect(told == 1)
        #expect(rig.now.time.value == 10_220)
    }

    @Test("a second pause during the fade-out has no effect")
    func twice() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRunning(false), .setRunning(false))
        rig.play(frames: 50)
        rig.send(.setRunning(false))
        #expect(rig.play(frames: 1000).count == ramp - 50)
        #expect(!rig.sink.isRunning)
    }

    @Test("after a seek during the fade-out, the fade completes, and play begins with the lead-in of the target")
    func seeksInFade() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        rig.play(frames: 100)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 100_000, timescale: 44_100))))
        #expect(rig.now.time.value == 100_000)
        let fading = rig.play(frames: 1000)
        #expect(isHeard(fading, from: 10_100) { 1 - rising($0 - 10_000) })
        #expect(fading.count == ramp - 100)
        #expect(!rig.sink.isRunning)
        #expect(rig.now.time.value == 100_000)
        rig.send(.setRunning(true))
        let heard = rig.play(frames: 1000)
        #expect(abs(Double(heard[0].value) - 100_220 * rising(0)) < 0.05)
        #expect(heard[ramp...].enumerated().allSatisfy { $1.value == Float(100_000 + $0) })
    }

    @Test("if the device is lost during a pause, the next one resumes with the frame after the last one heard")
    func losesDevice() {
        let rig = playing()
        var heard = rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        heard += rig.play(frames: 100)
        rig.sink.lose()
        rig.engine.settle()
        rig.send(.open(rig.fallback))
        #expect(rig.play(frames: 1000).isEmpty)
        rig.send(.setRunning(true))
        heard += rig.play(frames: 5000)
        #expect(
            isHeard(heard) { frame in
                let into = frame - 10_000
                return into < 0 || into >= 100 + ramp ? 1 : into < 100 ? 1 - rising(into) : rising(into - 100)
            })
    }

    @Test("a pause just before the end fades the remaining frames, and the end is reached")
    func atEnd() {
        let rig = playing(30_000)
        var heard = rig.play(frames: 29_900)
        rig.send(.setRunning(false))
        heard += rig.play(frames: 1000)
        #expect(isHeard(heard) { $0 < 29_900 ? 1 : 1 - rising($0 - 29_900) })
        #expect(heard.count == 30_000)
        #expect(!rig.sink.isRunning)
        #expect(rig.now.time.value == 30_000)
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("if the device was faster than a pause, the fade begins after the frames it took", arguments: [[10], [250, 30], [2000]])
    func overtaken(haste: [Int]) {
        let rig = playing()
        var heard = rig.play(frames: 10_000)
        rig.sink.hurry(by: haste)
        rig.send(.setRunning(false))
        heard += rig.play(frames: 1000)
        rig.send(.setRunning(true))
        heard += rig.play(frames: 5000)
        let late = 10_000 + haste.reduce(0, +)
        #expect(
            isHeard(heard) { frame in
                let into = frame - late
                return into < 0 || into >= 2 * ramp ? 1 : into < ramp ? 1 - rising(into) : rising(into - ramp)
            })
    }

    @Test("a device that cannot return frames while it plays is stopped at once, and no frame is lost")
    func stopsAtOnce() {
        let rig = playing()
        rig.sink.refuseHolds()
        var heard = rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        #expect(!rig.sink.isRunning)
        rig.send(.setRunning(true))
        heard += rig.play(frames: 10_000)
        #expect(isHeard(heard) { _ in 1 })
    }

    @Test("a rate change during a pause fades in at the new rate from the next frame")
    func changesRate() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        rig.play(frames: 1000)
        rig.send(.setRate(2), .setRunning(true))
        let heard = rig.play(frames: 2000)
        #expect(
            heard.enumerated().allSatisfy { index, frame in
                abs(Double(frame.value) - Double(10_000 + ramp + 2 * index) * (index < ramp ? rising(index) : 1)) < 0.05
            })
    }

    @Test("a pause before the first frame is heard has no effect: the item begins with its first frame")
    func beforeStart() {
        let rig = EngineRig(["a": .init(frames: 100_000)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true), .setRunning(false), .setRate(2), .setRate(1))
        rig.send(.setRunning(true))
        #expect(isHeard(rig.play(frames: 1000)) { _ in 1 })
    }
}
