import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Splices")
struct SpliceTests {
    private let a = ItemID(rawValue: 1)
    private let ramp = 220

    /// Returns the factor of the new audio at frame `index` of a fade, which rises from 0 to 1 over 220 frames.
    private func rising(_ index: Int) -> Double { (Double(index) + 0.5) / Double(ramp) }
    private func falling(_ index: Int) -> Double { 1 - rising(index) }

    private func playing(_ frames: Int64 = 200_000) -> EngineRig {
        let rig = EngineRig(["a": .init(frames: frames), "b": .init(frames: 100_000, base: 1_000_000)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        return rig
    }
    private func seek(_ id: UInt64, to frame: Int64) -> TestCommand {
        .seek(SeekRequest(id: id, item: a, time: CMTime(value: frame, timescale: 44_100)))
    }
    private func near(_ value: Float, _ expected: Double) -> Bool { abs(Double(value) - expected) < 0.05 }

    /// Whether `heard` is the crossfade of 5 ms before the target of a seek. In it the old frames from frame `old` on fade out (nil: there are none),
    /// and a mirror image of the frames after the target fades in.
    private func isBlend(_ heard: ArraySlice<CaptureSink.Heard>, old: Int?, target: Int) -> Bool {
        heard.count == ramp
            && heard.enumerated().allSatisfy { index, frame in
                let going = old.map { Double($0 + index) * falling(index) } ?? 0
                return near(frame.value, going + Double(target + ramp - index) * rising(index))
            }
    }
    /// Whether the heard frames are the media frames `first`, `first` + 1, … at full level.
    private func isExact(_ heard: ArraySlice<CaptureSink.Heard>, from first: Int) -> Bool {
        heard.enumerated().allSatisfy { index, frame in frame.value == Float(first + index) }
    }

    @Test("a seek target is heard at full level at its frame in the timeline, after 5 ms of crossfade from the old frames to a lead-in")
    func blends() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 150_001))
        let heard = rig.play(frames: 2000)
        #expect(isBlend(heard[..<ramp], old: 10_000, target: 150_001))
        #expect(isExact(heard[ramp...], from: 150_001))
        #expect(rig.engine.clock.timeline.segments.first?.start == Int64(10_000 + ramp))
        #expect(rig.sink.underruns == 0)
    }

    @Test("the position stays at the target until the target frame is heard")
    func restsOnTarget() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 150_001))
        #expect(rig.now.time.value == 150_001)
        rig.play(frames: ramp)
        #expect(rig.now.time.value == 150_001)
        rig.play(frames: 7)
        #expect(rig.now.time.value == 150_008)
    }

    @Test("a seek to the start plays the first frame after the old frames have faded out, without a lead-in")
    func seeksToStart() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 0))
        let heard = rig.play(frames: 2000)
        #expect(heard[..<ramp].enumerated().allSatisfy { near($1.value, Double(10_000 + $0) * falling($0)) })
        #expect(isExact(heard[ramp...], from: 0))
    }

    @Test("a start from silence has a lead-in that begins at zero")
    func leadsInFromSilence() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: 50_000, timescale: 44_100))), .setRunning(true))
        let heard = rig.play(frames: 2000)
        #expect(isBlend(heard[..<ramp], old: nil, target: 50_000))
        #expect(isExact(heard[ramp...], from: 50_000))
    }

    @Test("a target less than 5 ms before the end has a lead-in of the frames that exist")
    func leadsInBeforeEnd() {
        let rig = playing(20_000)
        rig.play(frames: 5000)
        rig.send(seek(1, to: 19_990))
        let heard = rig.play(frames: 2000)
        #expect(heard.count == ramp + 10)
        #expect(isExact(heard[ramp...], from: 19_990))
        #expect(near(heard[0].value, 5000 * falling(0) + 19_999 * rising(0)))
    }

    @Test(
        "if the device was faster than a seek, the old frames continue and the complete crossfade follows",
        arguments: [[1], [219], [220, 3], [700, 300]])
    func overtaken(haste: [Int]) {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.sink.hurry(by: haste)
        rig.send(seek(1, to: 150_001))
        let heard = rig.play(frames: 3000)
        let late = haste.reduce(0, +)
        #expect(isExact(heard[..<late], from: 10_000))
        // The engine keeps 25 ms of old frames. So the crossfade of 5 ms has old frames only if it begins less than 20 ms (880 frames) late.
        if late < 880 { #expect(isBlend(heard[late..<(late + ramp)], old: 10_000 + late, target: 150_001)) }
        #expect(isExact(heard[(late + ramp)...], from: 150_001))
        #expect(rig.engine.clock.timeline.segments.first?.start == Int64(10_000 + late + ramp))
    }

    @Test("a device that cannot return frames while it plays is stopped for a seek, and plays the same frames")
    func blendsStopped() {
        let rig = playing()
        rig.sink.refuseHolds()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 150_001))
        let heard = rig.play(frames: 2000)
        #expect(isBlend(heard[..<ramp], old: 10_000, target: 150_001))
        #expect(isExact(heard[ramp...], from: 150_001))
    }

    @Test("no command causes a step larger than those of the audio and of its ramps")
    func hasNoClick() {
        let rig = playing()
        var heard = rig.play(frames: 60_000)
        for command in [
            seek(1, to: 50_000), .setRate(2), seek(2, to: 61_000), .setRunning(false), .setRunning(true), .setRate(-1), seek(3, to: 40_000),
            .setRate(0.5),
        ] {
            rig.send(command)
            // Only 150 frames are played, so that the next command is sent during the fade of this one.
            heard += rig.play(frames: 150)
        }
        heard += rig.play(frames: 5000)
        // The frames before 50,000 are skipped. After them the values are high, so that a missing fade would be a large step.
        let values = heard.dropFirst(50_000).map { Double($0.value) }
        let largest = zip(values, values.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        // The values are between 0 and 70,000, and a fade has 220 frames. Two fades at once are at most twice as steep as one.
        #expect(largest < 2 * 70_000 / Double(ramp) + 2)
    }

    @Test(
        "advance fades out the current item and begins the next with its first frame, even if the device was faster",
        arguments: [[], [100, 5]])
    func advances(haste: [Int]) {
        let rig = playing()
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 190_000)
        rig.sink.hurry(by: haste)
        rig.send(.advance)
        let heard = rig.play(frames: 3000)
        let late = haste.reduce(0, +)
        #expect(isExact(heard[..<late], from: 190_000))
        #expect(heard[late..<(late + ramp)].enumerated().allSatisfy { near($1.value, Double(190_000 + late + $0) * falling($0)) })
        #expect(isExact(heard[(late + ramp)...], from: 1_000_000))
    }

    @Test("a rate change loses and repeats no frame, even if the device was faster")
    func changesRateLate() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.sink.hurry(by: [333, 20])
        rig.send(.setRate(2))
        let heard = rig.play(frames: 3000)
        #expect(isExact(heard[..<353], from: 10_000))
        #expect(heard[(353 + ramp)...].enumerated().allSatisfy { $1.value == Float(10_353 + 2 * (ramp + $0)) })
    }

    @Test(
        "two changes of direction while paused, with nothing heard in between, leave audio and position unchanged (R-RATE-09)",
        arguments: [1, 2])
    func turnsTwicePaused(rate: Double) {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        rig.play(frames: 1000)
        let rest = Int(rig.now.time.value)
        rig.send(.setRate(-1))
        rig.send(.setRate(1))
        // The rate changes once more, forward and faster, before any frame of the preceding rates is heard.
        if rate != 1 { rig.send(.setRate(rate)) }
        #expect(rig.now.time.value == Int64(rest))
        rig.send(.setRunning(true))
        let heard = rig.play(frames: 3000)
        #expect(agree(heard.dropFirst(2 * ramp), rig.engine.clock.timeline))
        #expect(heard.last.map { $0.value > Float(rest) + 2000 } == true)
    }

    @Test("two changes of direction before the feeder handles the first one continue forwards")
    func turnsTwiceAtOnce() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRate(-1), .setRate(1))
        let heard = rig.play(frames: 3000)
        #expect(agree(heard.dropFirst(3 * ramp), rig.engine.clock.timeline))
        #expect(heard.last.map { $0.value > 12_000 } == true)
        #expect(rig.now.rate == 1)
    }

    @Test("a change of direction before the first frame of an item reads it in the new direction")
    func turnsBeforeSound() {
        let rig = playing()
        rig.send(.setUpcoming([EngineRig.request(2, "b", start: CMTime(value: 50_000, timescale: 44_100))], after: a))
        rig.play(frames: 10_000)
        rig.send(.setRate(-1))
        rig.play(frames: 1000)
        // In reverse playback the next item is read only after the command `advance`, and in reverse. So `setRate(1)` needs other audio.
        rig.send(.advance, .setRate(1))
        let heard = rig.play(frames: 3000)
        #expect(heard[(3 * ramp)...].allSatisfy { $0.value >= 1_050_000 })
        #expect(agree(heard.dropFirst(3 * ramp), rig.engine.clock.timeline, base: 1_000_000))
        #expect(heard.last.map { $0.value > 1_052_000 } == true)
    }

    @Test("a pending seek is performed in the new direction if the direction changes before the first frame")
    func turnsUnderSeek() {
        let rig = playing()
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 10_000)
        rig.send(.setRate(-1))
        rig.play(frames: 1000)
        let sought = SeekRequest(id: 7, item: ItemID(rawValue: 2), time: CMTime(value: 50_000, timescale: 44_100))
        rig.send(.advance, .seek(sought), .setRate(1))
        let heard = rig.play(frames: 3000)
        #expect(rig.engine.clock.timeline.landedSeek == 7)
        #expect(agree(heard.dropFirst(3 * ramp), rig.engine.clock.timeline, base: 1_000_000))
        #expect(heard.last.map { $0.value > 1_052_000 } == true)
    }

    /// Whether each heard frame is the frame of the medium that the timeline gives for it.
    private func agree(_ heard: ArraySlice<CaptureSink.Heard>, _ timeline: Timeline, base: Double = 0) -> Bool {
        !heard.isEmpty
            && heard.allSatisfy { frame in
                guard let segment = timeline.segment(at: frame.frame) else { return false }
                return abs(Double(frame.value) - base - segment.mediaFrame(at: frame.frame)) < 0.5
            }
    }
}
