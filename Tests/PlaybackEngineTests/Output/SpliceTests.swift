import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Where sound is cut or joined")
struct SpliceTests {
    private let a = ItemID(rawValue: 1)
    private let ramp = 220

    /// The weight of what fades in, at frame `index` of a ramp.
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

    /// What a seek to `target` gives in the 5 ms before it: the old sound from `old` on, and the new sound mirrored.
    private func isBlend(_ heard: ArraySlice<CaptureSink.Heard>, old: Int?, target: Int) -> Bool {
        heard.count == ramp
            && heard.enumerated().allSatisfy { index, frame in
                let going = old.map { Double($0 + index) * falling(index) } ?? 0
                return near(frame.value, going + Double(target + ramp - index) * rising(index))
            }
    }
    /// Frames `first`, `first` + 1, … at full level.
    private func isExact(_ heard: ArraySlice<CaptureSink.Heard>, from first: Int) -> Bool {
        heard.enumerated().allSatisfy { index, frame in frame.value == Float(first + index) }
    }

    @Test("the frame that was sought is heard at full level where the timeline says, after 5 ms in which the old sound makes way for a lead-in")
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

    @Test("until the frame that was sought is heard the position rests on it")
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

    @Test("a seek to the start of the item is heard from its very first frame, with nothing before it but the old sound fading out")
    func seeksToStart() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 0))
        let heard = rig.play(frames: 2000)
        #expect(heard[..<ramp].enumerated().allSatisfy { near($1.value, Double(10_000 + $0) * falling($0)) })
        #expect(isExact(heard[ramp...], from: 0))
    }

    @Test("from silence the lead-in begins at zero")
    func leadsInFromSilence() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: 50_000, timescale: 44_100))), .setRunning(true))
        let heard = rig.play(frames: 2000)
        #expect(isBlend(heard[..<ramp], old: nil, target: 50_000))
        #expect(isExact(heard[ramp...], from: 50_000))
    }

    @Test("a target less than 5 ms before the end has a lead-in of what there is")
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
        "a device that was quicker than a seek hears the old sound on, and then the whole of the blend",
        arguments: [[1], [219], [220, 3], [700, 300]])
    func overtaken(haste: [Int]) {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.sink.hurry(by: haste)
        rig.send(seek(1, to: 150_001))
        let heard = rig.play(frames: 3000)
        let late = haste.reduce(0, +)
        #expect(isExact(heard[..<late], from: 10_000))
        // More than 25 ms late the old sound is not known any more.
        if late < 880 { #expect(isBlend(heard[late..<(late + ramp)], old: 10_000 + late, target: 150_001)) }
        #expect(isExact(heard[(late + ramp)...], from: 150_001))
        #expect(rig.engine.clock.timeline.segments.first?.start == Int64(10_000 + late + ramp))
    }

    @Test("a device that gives nothing back while it plays is stopped for a seek, and gets the same sound")
    func blendsStopped() {
        let rig = playing()
        rig.sink.refuseHolds()
        rig.play(frames: 10_000)
        rig.send(seek(1, to: 150_001))
        let heard = rig.play(frames: 2000)
        #expect(isBlend(heard[..<ramp], old: 10_000, target: 150_001))
        #expect(isExact(heard[ramp...], from: 150_001))
    }

    @Test("whatever is asked for, no step is larger than those of the sound and of its ramps")
    func hasNoClick() {
        let rig = playing()
        var heard = rig.play(frames: 60_000)
        for command in [
            seek(1, to: 50_000), .setRate(2), seek(2, to: 61_000), .setRunning(false), .setRunning(true), .setRate(-1), seek(3, to: 40_000),
            .setRate(0.5),
        ] {
            rig.send(command)
            // The next one comes in the middle of what this one does.
            heard += rig.play(frames: 150)
        }
        heard += rig.play(frames: 5000)
        // From where the sound is already loud: an item may begin as it will.
        let values = heard.dropFirst(50_000).map { Double($0.value) }
        let largest = zip(values, values.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        // The values lie between 0 and 70,000; a blend of two ramps is no steeper than twice one.
        #expect(largest < 2 * 70_000 / Double(ramp) + 2)
    }

    @Test(
        "the next item, gone to at once, begins with its first frame after the old one has faded out, however quick the device is",
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

    @Test("a rate change that the device is quicker than takes nothing away and repeats nothing")
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
        "turned twice while paused, before anything of the first turn is heard, sound and timeline go on where they were (R-RATE-09)",
        arguments: [1, 2])
    func turnsTwicePaused(rate: Double) {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        rig.play(frames: 1000)
        let rest = Int(rig.now.time.value)
        rig.send(.setRate(-1))
        rig.send(.setRate(1))
        // Forwards again, and faster, before that is heard.
        if rate != 1 { rig.send(.setRate(rate)) }
        #expect(rig.now.time.value == Int64(rest))
        rig.send(.setRunning(true))
        let heard = rig.play(frames: 3000)
        #expect(agree(heard.dropFirst(2 * ramp), rig.engine.clock.timeline))
        #expect(heard.last.map { $0.value > Float(rest) + 2000 } == true)
    }

    @Test("turned twice at once, before the feeder has seen the first turn, sound goes on forwards")
    func turnsTwiceAtOnce() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.setRate(-1), .setRate(1))
        let heard = rig.play(frames: 3000)
        #expect(agree(heard.dropFirst(3 * ramp), rig.engine.clock.timeline))
        #expect(heard.last.map { $0.value > 12_000 } == true)
        #expect(rig.now.rate == 1)
    }

    @Test("turned before the first sound of an item that is being read, it is read the other way")
    func turnsBeforeSound() {
        let rig = playing()
        rig.send(.setUpcoming([EngineRig.request(2, "b", start: CMTime(value: 50_000, timescale: 44_100))], after: a))
        rig.play(frames: 10_000)
        rig.send(.setRate(-1))
        rig.play(frames: 1000)
        // Backwards, the next item is read when it is gone to, and that way.
        rig.send(.advance, .setRate(1))
        let heard = rig.play(frames: 3000)
        #expect(heard[(3 * ramp)...].allSatisfy { $0.value >= 1_050_000 })
        #expect(agree(heard.dropFirst(3 * ramp), rig.engine.clock.timeline, base: 1_000_000))
        #expect(heard.last.map { $0.value > 1_052_000 } == true)
    }

    @Test("a seek under way when the direction changes before the first sound is carried out in the new direction")
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

    /// Whether every frame heard is the one that the timeline names.
    private func agree(_ heard: ArraySlice<CaptureSink.Heard>, _ timeline: Timeline, base: Double = 0) -> Bool {
        !heard.isEmpty
            && heard.allSatisfy { frame in
                guard let segment = timeline.segment(at: frame.frame) else { return false }
                return abs(Double(frame.value) - base - segment.mediaFrame(at: frame.frame)) < 0.5
            }
    }
}
