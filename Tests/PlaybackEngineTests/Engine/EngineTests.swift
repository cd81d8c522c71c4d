import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The engine")
struct EngineTests: RampPlaying {
    @Test("playback from the start has every frame once, without a ramp")
    func playsFromStart() {
        let rig = playing()
        #expect(values(rig.play(frames: 100_000)) == Array(0..<100_000))
        #expect(rig.sink.underruns == 0)
    }

    @Test("opened and likely-to-keep-up are reported before the item is heard")
    func tellsOpened() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.send(.load(EngineRig.request(1, "a")))
        let events = rig.takeEvents()
        #expect(events.contains { if case .opened(let item, let info) = $0 { item == a && info.codecName == "ramp" } else { false } })
        #expect(events.contains { if case .bufferChanged(let item, let level) = $0 { item == a && level.isLikelyToKeepUp } else { false } })
        #expect(rig.sink.takeHeard().isEmpty)
    }

    @Test("items join without an added or lost frame, and the clock has the item that is heard (R-QUEUE-06)")
    func joins() {
        let rig = playing(
            ["a": .init(frames: 30_000), "b": .init(frames: 50_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a))
        let heard = values(rig.play(frames: 29_999))
        #expect(rig.now.item == a)
        let rest = values(rig.play(frames: 10_001))
        #expect(heard + rest == Array(0..<30_000) + Array(1_000_000..<1_010_000))
        #expect(rig.now.item == b)
        #expect(rig.now.time.value == 10_000)
    }

    @Test("many items shorter than the device buffer join without an added or lost frame")
    func joinsShortItems() {
        let scripts = Dictionary(uniqueKeysWithValues: (1...8).map { ("s\($0)", RampReader.Script(frames: 3001, base: Float($0) * 10_000)) })
        let rig = EngineRig(scripts)
        rig.send(
            .load(EngineRig.request(1, "s1")), .setUpcoming((2...8).map { EngineRig.request(UInt64($0), "s\($0)") }, after: a), .setRunning(true))
        let heard = values(rig.play(frames: 8 * 3001))
        let expected: [Int] = (1...8).flatMap { (item: Int) -> Range<Int> in (item * 10_000)..<(item * 10_000 + 3001) }
        #expect(heard == expected)
        #expect(rig.sink.underruns == 0)
    }

    @Test("an upcoming item that cannot be opened is skipped and reported (R-QUEUE-07)")
    func skipsBroken() {
        let rig = playing(
            ["a": .init(frames: 10_000), "c": .init(frames: 10_000, base: 500_000)],
            .setUpcoming([EngineRig.request(2, "missing"), EngineRig.request(3, "c")], after: a))
        #expect(values(rig.play(frames: 12_000)) == Array(0..<10_000) + Array(500_000..<502_000))
        #expect(rig.takeEvents().contains { if case .failed(b, let error) = $0 { error.code == .fileNotFound } else { false } })
    }

    @Test("an upcoming item that is replaced after it was rendered is never heard")
    func replacesUpcoming() {
        let rig = playing(
            ["a": .init(frames: 40_000), "b": .init(frames: 40_000, base: 1_000_000), "c": .init(frames: 40_000, base: 2_000_000)],
            .setUpcoming([EngineRig.request(2, "b")], after: a))
        var heard = values(rig.play(frames: 20_000))
        rig.send(.setUpcoming([EngineRig.request(3, "c")], after: a))
        heard += values(rig.play(frames: 30_000))
        #expect(heard == Array(0..<40_000) + Array(2_000_000..<2_010_000))
    }

    @Test("after removal of the upcoming items the current one plays to its end")
    func removesUpcoming() {
        let rig = playing(
            ["a": .init(frames: 40_000), "b": .init(frames: 40_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a))
        var heard = values(rig.play(frames: 20_000))
        rig.send(.setUpcoming([], after: a))
        heard += values(rig.play(frames: 30_000))
        #expect(heard == Array(0..<40_000))
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("advancing drops the current item at once and starts the next one from its beginning (R-QUEUE-03)")
    func advances() {
        let rig = playing(
            ["a": .init(frames: 400_000), "b": .init(frames: 40_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 10_000)
        rig.send(.advance, .setRunning(true))
        #expect(Array(values(rig.play(frames: 5000)).dropFirst(ramp)) == Array(1_000_000..<(1_005_000 - ramp)))
    }

    @Test("advancing to an item that is already rendered starts it from its beginning")
    func advancesToRendered() {
        let rig = playing(
            ["a": .init(frames: 40_000), "b": .init(frames: 90_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 30_000)
        rig.send(.advance, .setRunning(true))
        #expect(Array(values(rig.play(frames: 50_000)).dropFirst(ramp)) == Array(1_000_000..<(1_050_000 - ramp)))
    }

    @Test("a rate change takes effect after the frame that the device has taken: no frame is repeated or lost (R-RATE-09)")
    func changesRate() {
        let rig = playing(["a": .init(frames: 400_000)])
        let before = values(rig.play(frames: 10_000))
        rig.send(.setRate(2))
        let after = values(rig.play(frames: 10_000))
        #expect(before == Array(0..<10_000))
        #expect(after.dropFirst(ramp) == (0..<10_000).map { 10_000 + 2 * $0 }.dropFirst(ramp))
        rig.send(.setRate(1))
        #expect(values(rig.play(frames: 1000)).last == 30_999)
    }

    @Test("the position advances at exactly the rate, over a join too")
    func advancesAtRate() {
        let rig = playing(
            ["a": .init(frames: 30_000), "b": .init(frames: 90_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a),
            .setRate(1.5))
        rig.play(frames: 20_000)
        #expect(rig.now.item == b || rig.now.time.value == 30_000)
        rig.play(frames: 20_000)
        #expect(rig.now.item == b)
        #expect(rig.now.time.value == 30_000)
    }

    @Test("a read failure is reported, and all frames read before it are heard")
    func failsWhileReading() {
        var script = RampReader.Script(frames: 200_000)
        script.failsAt = 60_000
        let rig = playing(["a": script])
        #expect(values(rig.play(frames: 100_000)) == Array(0..<60_000))
        #expect(rig.takeEvents().contains { if case .failed(a, let error) = $0 { error.code == .corruptMedia } else { false } })
    }

    @Test("a missing item fails, and an item loaded afterwards plays")
    func failsToOpen() {
        let rig = EngineRig(["a": .init(frames: 20_000)])
        rig.send(.load(EngineRig.request(9, "missing")), .setRunning(true))
        #expect(rig.takeEvents().contains { if case .failed(ItemID(rawValue: 9), _) = $0 { true } else { false } })
        rig.send(.load(EngineRig.request(1, "a")))
        #expect(values(rig.play(frames: 1000)) == Array(0..<1000))
    }

    @Test("a load stops the former item at once")
    func replaces() {
        let rig = playing(["a": .init(frames: 200_000), "b": .init(frames: 200_000, base: 1_000_000)])
        rig.play(frames: 5000)
        rig.send(.load(EngineRig.request(2, "b")))
        #expect(Array(values(rig.play(frames: 3000)).dropFirst(ramp)) == Array(1_000_000..<(1_003_000 - ramp)))
    }

    @Test("an end time inside the medium ends the item there (R-END-01)")
    func endsAtEndTime() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        var request = EngineRig.request(1, "a")
        request.forwardEndTime = CMTime(value: 30_500, timescale: 44_100)
        rig.send(.load(request), .setRunning(true))
        #expect(values(rig.play(frames: 60_000)) == Array(0..<30_500))
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("an item appended while the last one plays joins it without a gap (R-QUEUE-06)")
    func appendsLate() {
        let rig = playing(["a": .init(frames: 60_000), "b": .init(frames: 50_000, base: 1_000_000)])
        var heard = values(rig.play(frames: 50_000))
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<60_000) + Array(1_000_000..<1_010_000))
    }

    @Test("at the end the position stays at the duration")
    func restsAtEnd() {
        let rig = playing(["a": .init(frames: 10_000)])
        rig.play(frames: 30_000)
        #expect(rig.now.time.value == 10_000)
        #expect(rig.now.rate == 0)
    }

    @Test("a negative rate plays backwards from the frame that the device has taken, and a positive one forwards again (R-RATE-01)")
    func reverses() {
        let rig = playing()
        rig.play(frames: 100_000)
        rig.send(.setRate(-1))
        #expect(rig.now.time.value == 100_000)
        // In the first 440 frames the old audio fades out, and the new audio has a lead-in (a fade-in).
        #expect(Array(values(rig.play(frames: 60_000 + 2 * ramp)).dropFirst(2 * ramp)) == Array((40_000..<100_000).reversed()))
        #expect(rig.now.time.value == 40_000)
        rig.send(.setRate(1))
        #expect(Array(values(rig.play(frames: 1000 + 2 * ramp)).dropFirst(2 * ramp)) == Array(40_000..<41_000))
    }

    @Test("played backwards, the item ends at its start (R-END-02)")
    func endsAtStart() {
        let rig = playing()
        rig.play(frames: 30_000)
        rig.send(.setRate(-1))
        #expect(Array(values(rig.play(frames: 60_000)).dropFirst(2 * ramp)) == Array((0..<30_000).reversed()))
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
        #expect(rig.now.time.value == 0)
    }

    @Test("an item opened after the former one has ended still plays, although the player already calls it current")
    func opensLate() {
        let rig = EngineRig(["a": .init(frames: 5000), "b": .init(frames: 9000, base: 1_000_000), "c": .init(frames: 9000, base: 2_000_000)])
        rig.send(.load(EngineRig.request(1, "a")))
        rig.engine.holdOpens()
        rig.send(.setUpcoming([EngineRig.request(2, "b"), EngineRig.request(3, "c")], after: a), .setRunning(true))
        var heard = values(rig.play(frames: 10_000))
        rig.send(.setUpcoming([EngineRig.request(3, "c")], after: b))
        rig.engine.releaseOpens()
        rig.engine.settle()
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<5000) + Array(1_000_000..<1_009_000) + Array(2_000_000..<2_009_000))
    }

    @Test("at another rate, an item whose successor fails plays to its end (R-EOI-07)")
    func endsWithoutFollowerAtRate() {
        let rig = playing(["a": .init(frames: 60_000)], .setRate(1.5), .setUpcoming([EngineRig.request(2, "missing")], after: a))
        rig.play(frames: 60_000)
        rig.send(.setUpcoming([], after: a))
        rig.play(frames: 1000)
        let last = rig.engine.clock.timeline.segments.last
        #expect(last?.reachesEndOfItem == true)
        #expect(last?.end == rig.now.frame)
    }
}
