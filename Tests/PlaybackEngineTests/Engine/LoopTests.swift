import CoreMedia
import PlaybackTesting
import Testing

@testable import PlaybackEngine

/// Tests of loops (a part of an item that repeats): turns without a gap, and changes of the loop during playback.
@Suite("Loops")
struct LoopTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)

    private func range(_ start: Int64, _ end: Int64) -> LoopRange? {
        LoopRange(start: CMTime(value: start, timescale: 44_100), end: CMTime(value: end, timescale: 44_100))
    }
    private func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    private func rig(_ scripts: [String: RampReader.Script] = ["a": .init(frames: 300_000)], loop: LoopRange? = nil) -> EngineRig {
        let rig = EngineRig(scripts)
        var request = EngineRig.request(1, "a")
        request.loop = loop
        rig.send(.load(request), .setRunning(true))
        return rig
    }

    /// Returns `count` frame numbers in the order of playback: from `first` to the end of the loop, and then the turns of the loop from `start` to
    /// `end`.
    private func looped(from first: Int, _ start: Int, _ end: Int, count: Int) -> [Int] {
        var result = Array(first..<end)
        while result.count < count { result += Array(start..<end) }
        return Array(result.prefix(count))
    }

    @Test("a range is numeric, not negative, and at least a tenth of a second long")
    func ranges() {
        #expect(range(0, 4410) != nil)
        #expect(range(0, 4409) == nil)
        #expect(range(-1, 44_100) == nil)
        #expect(range(44_100, 0) == nil)
        #expect(LoopRange(start: .zero, end: .positiveInfinity) == nil)
        #expect(LoopRange(start: .invalid, end: CMTime(value: 1, timescale: 1)) == nil)
    }

    @Test("every turn has every frame of the range once, without a ramp", arguments: [1000, 997, 4096], [(0, 4410), (10_007, 30_011)])
    func turns(_ blockSize: Int, _ bounds: (Int, Int)) {
        var script = RampReader.Script(frames: 300_000)
        script.blockSize = blockSize
        let rig = rig(["a": script], loop: range(Int64(bounds.0), Int64(bounds.1)))
        #expect(values(rig.play(frames: 400_000)) == looped(from: 0, bounds.0, bounds.1, count: 400_000))
        #expect(rig.sink.underruns == 0)
    }

    @Test("a loop that is too long to be kept in memory is read again at each turn, with the same frames")
    func longLoop() {
        var script = RampReader.Script(frames: 1_300_000)
        script.format = AudioFormat(sampleRate: 44_100, channelLayout: ChannelLayout(count: 2))
        let frames = LoopAudio.maximumSize / (4 * 2) + 1000
        script.frames = Int64(frames + 5000)
        let rig = rig(["a": script], loop: range(1000, Int64(1000 + frames)))
        #expect(values(rig.play(frames: frames * 2 + 3000, quantum: 4410)) == looped(from: 0, 1000, 1000 + frames, count: frames * 2 + 3000))
    }

    @Test("the position turns from the end of the range to its start, at the frame that is heard")
    func position() {
        let rig = rig(loop: range(10_000, 30_000))
        for _ in 0..<300 {
            let heard = rig.play(frames: 441)
            guard let last = heard.last else { continue }
            #expect(abs(Int(rig.now.time.value) - Int(last.value)) <= 1)
            #expect(rig.now.rate == 1)
        }
    }

    @Test("the number of segments of the timeline does not grow with the number of turns")
    func memory() {
        let rig = rig(loop: range(1000, 6000))
        rig.play(frames: 100_000, quantum: 4410)
        let segments = rig.engine.clock.snapshot.timeline.segments.count
        rig.play(frames: 2_000_000, quantum: 4410)
        #expect(rig.engine.clock.snapshot.timeline.segments.count <= segments + 2)
    }

    @Test("a loop that is set during playback, before its end is rendered, turns without a gap")
    func setAhead() {
        let rig = rig()
        var heard = values(rig.play(frames: 1000))
        rig.send(.setLoop(range(200_000, 250_000), a))
        heard += values(rig.play(frames: 350_000))
        #expect(heard == looped(from: 0, 200_000, 250_000, count: 351_000))
    }

    @Test("a loop whose end is already rendered replaces that audio, and the position of each frame stays correct", arguments: [30_000, 60_000])
    func setBehindRendering(_ end: Int) {
        let rig = rig()
        var heard = values(rig.play(frames: 10_000))
        rig.send(.setLoop(range(12_000, Int64(end)), a))
        heard += values(rig.play(frames: 200_000))
        #expect(heard == looped(from: 0, 12_000, end, count: 210_000))
    }

    @Test("without a loop, the turns that were rendered ahead are replaced, and playback goes on after the end of the range")
    func removed() {
        let rig = rig(loop: range(10_000, 30_000))
        var heard = values(rig.play(frames: 55_000))
        #expect(heard.last == 14_999)
        rig.send(.setLoop(nil, a))
        heard = values(rig.play(frames: 150_000))
        #expect(heard == Array(15_000..<165_000))
    }

    @Test("a longer and a shorter range take effect in the present turn", arguments: [20_000, 50_000])
    func changed(_ end: Int) {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 55_000)
        rig.send(.setLoop(range(5_000, Int64(end)), a))
        #expect(values(rig.play(frames: 150_000)) == looped(from: 15_000, 5_000, end, count: 150_000))
    }

    @Test("playback after the end of the range is not affected")
    func after() {
        let rig = rig()
        var heard = values(rig.play(frames: 50_000))
        rig.send(.setLoop(range(10_000, 30_000), a))
        heard += values(rig.play(frames: 200_000))
        #expect(heard == Array(0..<250_000))
    }

    @Test("a seek into the range turns at its end, and one behind it plays to the end of the item")
    func seeks() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 5000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 25_000, timescale: 44_100))))
        let inside = values(rig.play(frames: 100_000).dropFirst(1000).filter { $0.value >= 10_000 })
        #expect(zip(inside, inside.dropFirst()).allSatisfy { $1 == ($0 == 29_999 ? 10_000 : $0 + 1) })
        rig.send(.seek(SeekRequest(id: 2, item: a, time: CMTime(value: 40_000, timescale: 44_100))))
        let behind = values(rig.play(frames: 100_000)).drop { $0 != 40_000 }
        #expect(Array(behind) == Array(40_000..<(40_000 + behind.count)))
        #expect(behind.count > 90_000)
    }

    @Test("the item that follows is not reached while the loop is set, and is joined after the loop was removed")
    func follower() {
        let rig = rig(["a": .init(frames: 60_000), "b": .init(frames: 60_000, base: 500_000)], loop: range(10_000, 60_000))
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        #expect(values(rig.play(frames: 210_000)) == looped(from: 0, 10_000, 60_000, count: 210_000))
        rig.send(.setLoop(nil, a))
        let heard = values(rig.play(frames: 100_000))
        #expect(heard == Array(10_000..<60_000) + Array(500_000..<550_000))
    }

    @Test("a loop that is set when the following item is already rendered keeps playback in the item")
    func beforeFollower() {
        let rig = rig(["a": .init(frames: 60_000), "b": .init(frames: 60_000, base: 500_000)])
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        var heard = values(rig.play(frames: 20_000))
        rig.send(.setLoop(range(10_000, 50_000), a))
        heard += values(rig.play(frames: 200_000))
        #expect(heard == looped(from: 0, 10_000, 50_000, count: 220_000))
        rig.send(.setLoop(nil, a))
        #expect(values(rig.play(frames: 150_000)).contains(500_000))
    }

    @Test("with a crossfade, the overlap that was mixed ahead is undone if the loop ends before it")
    func crossfade() {
        let rig = rig(["a": .init(frames: 60_000), "b": .init(frames: 60_000, base: 500_000)])
        rig.send(.setCrossfade(0.2), .setUpcoming([EngineRig.request(2, "b")], after: a))
        var heard = values(rig.play(frames: 20_000))
        rig.send(.setLoop(range(10_000, 59_000), a))
        heard += values(rig.play(frames: 200_000))
        #expect(heard == looped(from: 0, 10_000, 59_000, count: 220_000))
    }

    @Test("a range beyond the end of the medium turns at that end, whether the container knows it or not", arguments: [true, false])
    func beyondEnd(_ isKnown: Bool) {
        var script = RampReader.Script(frames: 50_000)
        if !isKnown { script.duration = .estimated(frames: 100_000, sampleRate: 44_100) }
        let rig = rig(["a": script], loop: range(10_000, 90_000))
        #expect(values(rig.play(frames: 200_000)) == looped(from: 0, 10_000, 50_000, count: 200_000))
    }

    @Test("if less than a tenth of a second of the range is left, the item ends")
    func tooShort() {
        let rig = rig(["a": .init(frames: 50_000)], loop: range(49_000, 90_000))
        let heard = values(rig.play(frames: 100_000))
        #expect(heard.prefix(50_000) == Array(0..<50_000)[...])
        #expect(rig.engine.clock.snapshot.timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("played backwards, the start of the range turns to its end")
    func reverse() {
        let rig = rig(loop: range(10_000, 30_000))
        rig.play(frames: 20_000)
        rig.send(.setRate(-1))
        let heard = values(rig.play(frames: 150_000).filter { $0.value >= 10_000 }).dropFirst(15_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $1 == ($0 == 10_000 ? 29_999 : $0 - 1) })
        #expect(heard.count > 100_000)
    }

    @Test("at other rates the position of each frame stays correct over many turns", arguments: [0.5, 2, 3.7])
    func rates(_ rate: Double) {
        let rig = rig(loop: range(10_000, 30_000))
        rig.send(.setRate(rate))
        rig.play(frames: 50_000)
        for _ in 0..<200 {
            guard let last = rig.play(frames: 441).last else { continue }
            let distance = abs(Double(rig.now.time.value) - Double(last.value))
            #expect(distance <= 2 * rate + 2 || distance >= 20_000 - 2 * rate - 2)
        }
        #expect(rig.sink.underruns == 0)
    }

    @Test("after a pause in a loop the turns continue without a gap")
    func pause() {
        let rig = rig(loop: range(10_000, 20_000))
        rig.play(frames: 33_333)
        rig.send(.setRunning(false))
        rig.play(frames: 4410)
        rig.send(.setRunning(true))
        let heard = values(rig.play(frames: 60_000))
        #expect(zip(heard.dropFirst(500), heard.dropFirst(501)).allSatisfy { $1 == ($0 == 19_999 ? 10_000 : $0 + 1) })
    }

    @Test("a loop of an item that cannot seek is ignored")
    func unseekable() {
        var script = RampReader.Script(frames: 100_000)
        script.isSeekable = false
        let rig = rig(["a": script], loop: range(10_000, 30_000))
        #expect(values(rig.play(frames: 100_000)) == Array(0..<100_000))
    }

    @Test("a turn whose seek fails ends the item with an error, after the audio before it was heard")
    func failingTurn() {
        var script = RampReader.Script(frames: 100_000)
        script.failsSeeksTo = 10_000
        // Playback begins inside the loop. So the first turn needs a seek to the loop's start, which was not decoded yet.
        let rig = EngineRig(["a": script])
        var request = EngineRig.request(1, "a", start: CMTime(value: 20_000, timescale: 44_100))
        request.loop = range(10_000, 30_000)
        rig.send(.load(request), .setRunning(true))
        #expect(values(rig.play(frames: 20_000)).last == 29_999)
        #expect(rig.takeEvents().contains { if case .failed(a, let error) = $0 { error.code == .network } else { false } })
    }
}
