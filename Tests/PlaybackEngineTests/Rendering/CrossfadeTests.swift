import CoreMedia
import Foundation
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Crossfades")
struct CrossfadeTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)
    /// The length of a crossfade, in frames: a tenth of a second.
    private let overlap = 4410

    private func playing(_ lengths: [Int64] = [100_000, 90_000], crossfade: Double = 0.1) -> EngineRig {
        let rig = EngineRig([
            "a": .init(frames: lengths[0]), "b": .init(frames: lengths[1], base: 1_000_000), "c": .init(frames: 90_000, base: 2_000_000),
        ])
        rig.send(
            .setCrossfade(crossfade), .load(EngineRig.request(1, "a")), .setUpcoming([EngineRig.request(2, "b")], after: a), .setRunning(true))
        return rig
    }

    /// Whether the heard frames are a crossfade of equal power over `count` frames. It mixes a ramp that ends before the value `end` with a ramp that
    /// begins at `base`. The first heard frame is frame `skipped` of the crossfade.
    private func isOverlap(_ heard: ArraySlice<CaptureSink.Heard>, end: Int, base: Int, of count: Int, skipping skipped: Int = 0) -> Bool {
        heard.enumerated().allSatisfy { place, frame in
            let index = skipped + place
            let angle = Double.pi / 2 * (Double(index) + 0.5) / Double(count)
            let expected = Double(end - count + index) * cos(angle) + Double(base + index) * sin(angle)
            return abs(Double(frame.value) - expected) < 0.5
        }
    }

    @Test("a crossfade mixes the end of an item and the beginning of the next at equal power, and changes no other frame")
    func overlaps() {
        let rig = playing()
        let heard = rig.play(frames: 150_000)
        let start = 100_000 - overlap
        #expect(heard[..<start].enumerated().allSatisfy { $1.value == Float($0) })
        #expect(isOverlap(heard[start..<100_000], end: 100_000, base: 1_000_000, of: overlap))
        #expect(heard[100_000...].enumerated().allSatisfy { $1.value == Float(1_000_000 + overlap + $0) })
        #expect(rig.sink.underruns == 0)
    }

    @Test("the next item becomes current at the start of the crossfade, and the position is its own from there on")
    func tellsItem() {
        let rig = playing()
        rig.play(frames: 100_000 - overlap - 1)
        #expect(rig.now.item == a)
        rig.play(frames: 1 + 1000)
        #expect(rig.now.item == b)
        #expect(rig.now.time.value == 1000)
        #expect(rig.engine.clock.timeline.segments.first { $0.item == a }?.reachesEndOfItem == true)
    }

    @Test("a crossfade has at most half of either item, and at most 12 s", arguments: [[80_000, 90_000, 40_000], [100_000, 3000, 1500]])
    func isBounded(numbers: [Int]) {
        let rig = playing([Int64(numbers[0]), Int64(numbers[1])], crossfade: 500)
        let heard = rig.play(frames: 200_000)
        #expect(heard.count == numbers[0] + numbers[1] - numbers[2])
    }

    @Test("a crossfade of 0 s joins items without a gap")
    func off() {
        let rig = playing(crossfade: 0)
        #expect(rig.play(frames: 120_000).enumerated().allSatisfy { $1.value == Float($0 < 100_000 ? $0 : 900_000 + $0) })
    }

    @Test("if the next item is replaced before the crossfade is heard, the current one fades into the new item instead")
    func replaces() {
        let rig = playing()
        var heard = rig.play(frames: 60_000)
        rig.send(.setUpcoming([EngineRig.request(3, "c")], after: a))
        heard += rig.play(frames: 60_000)
        let start = 100_000 - overlap
        #expect(heard[..<start].enumerated().allSatisfy { $1.value == Float($0) })
        #expect(isOverlap(heard[start..<100_000], end: 100_000, base: 2_000_000, of: overlap))
        rig.send(.setUpcoming([], after: ItemID(rawValue: 3)))
    }

    @Test("if the next item is removed before the crossfade is heard, the current one plays to its end")
    func removes() {
        let rig = playing()
        var heard = rig.play(frames: 60_000)
        rig.send(.setUpcoming([], after: a))
        heard += rig.play(frames: 60_000)
        #expect(heard.count == 100_000)
        #expect(heard.enumerated().allSatisfy { $1.value == Float($0) })
    }

    @Test("pause, rate change and seek during a crossfade keep the position correct")
    func commandsInside() {
        let rig = playing()
        rig.play(frames: 100_000 - overlap + 1000)
        rig.send(.setRunning(false))
        rig.play(frames: 1000)
        #expect(rig.now.item == b && rig.now.time.value == 1220)
        rig.send(.setRunning(true))
        rig.play(frames: 1000)
        #expect(rig.now.time.value == 2220)
        rig.send(.setRate(2))
        let fast = rig.play(frames: 2000)
        #expect(rig.now.time.value == 6220)
        #expect(fast.last?.value == 1_006_218)
        rig.send(.seek(SeekRequest(id: 1, item: b, time: CMTime(value: 10, timescale: 44_100))))
        // After the seek, item b plays without a crossfade with item a.
        #expect(rig.play(frames: 1000)[220...].enumerated().allSatisfy { $1.value == Float(1_000_010 + 2 * $0) })
    }

    @Test("advancing before a rendered crossfade is heard plays the next item from its first frame")
    func advances() {
        let rig = playing()
        rig.play(frames: 90_000)
        rig.send(.advance)
        #expect(rig.play(frames: 3000)[220...].enumerated().allSatisfy { $1.value == Float(1_000_000 + $0) })
    }

    @Test("advancing into a crossfade discards the rendered audio, and the next item fades into its own successor all the same")
    func advancesTwoJoints() {
        let rig = EngineRig([
            "a": .init(frames: 100_000), "b": .init(frames: 60_000, base: 200_000), "c": .init(frames: 90_000, base: 400_000),
        ])
        rig.send(
            .setCrossfade(0.1), .load(EngineRig.request(1, "a")),
            .setUpcoming([EngineRig.request(2, "b"), EngineRig.request(3, "c")], after: a), .setRunning(true))
        // The crossfades at both joints are rendered now. After `advance`, item b is read again, but its crossfade is already decided.
        rig.play(frames: 90_000)
        rig.send(.advance)
        let heard = rig.play(frames: 220 + 80_000)[220...].map { $0 }
        let start = 60_000 - overlap
        #expect(heard[..<start].enumerated().allSatisfy { $1.value == Float(200_000 + $0) })
        #expect(isOverlap(heard[start..<60_000], end: 260_000, base: 400_000, of: overlap))
        #expect(heard[60_000...].enumerated().allSatisfy { $1.value == Float(400_000 + overlap + $0) })
    }

    @Test("an offline rendering has the same crossfade")
    func offline() throws {
        let opener = ScriptedOpener(["a": .init(frames: 100_000), "b": .init(frames: 90_000, base: 1_000_000)])
        let renderer = OfflineRenderer(opener: opener) { _, format in NearestPitch(channelCount: format.channelCount) }
        var job = OfflineRenderer.Job(sources: [MediaSource(.file(path: "a")), MediaSource(.file(path: "b"))])
        job.crossfade = 0.1
        var heard: [CaptureSink.Heard] = []
        _ = try renderer.render(job) { samples, format in
            heard += stride(from: 0, to: samples.count, by: format.channelCount).map { CaptureSink.Heard(frame: 0, value: samples[$0]) }
            return true
        }
        #expect(heard.count == 190_000 - overlap)
        #expect(isOverlap(heard[(100_000 - overlap)..<100_000], end: 100_000, base: 1_000_000, of: overlap))
    }
}
