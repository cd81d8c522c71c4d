import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The engine")
struct EngineTests {
    private let a = ItemID(rawValue: 1)
    private let b = ItemID(rawValue: 2)
    /// The number of frames of a fade (5 ms). These tests skip the frames of fades; `SpliceTests` and `PauseTests` check them.
    private let ramp = 220

    /// Returns the heard values as whole numbers. The media of the tests are ramps, in which each frame's value is its number.
    private func values(_ heard: [CaptureSink.Heard]) -> [Int] { heard.map { Int($0.value) } }

    private func playing(_ scripts: [String: RampReader.Script] = ["a": .init(frames: 200_000)], _ commands: TestCommand...) -> EngineRig {
        let rig = EngineRig(scripts)
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        for command in commands { rig.send(command) }
        return rig
    }

    @Test("playback from the start has every frame once, without a ramp")
    func playsFromStart() {
        let rig = playing()
        #expect(values(rig.play(frames: 100_000)) == Array(0..<100_000))
        #expect(rig.sink.underruns == 0)
    }

    @Test("the device is opened in the item's own format")
    func opensInItemFormat() {
        let rig = playing(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 96_000, channelLayout: .mono))])
        #expect(rig.sink.opens.last == AudioFormat(sampleRate: 96_000, channelLayout: .mono))
    }

    @Test("channels beyond the device's speakers are mixed down by the feeder")
    func mixesDownToSpeakers() {
        let rig = EngineRig(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 96_000, channelLayout: ChannelLayout(count: 6)))])
        rig.sink.setSpeakers(.stereo)
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(rig.sink.opens.last == AudioFormat(sampleRate: 96_000, channelLayout: .stereo))
        #expect(values(rig.play(frames: 50_000)) == Array(0..<50_000))
    }

    @Test("no channels are mixed down if the device can mix them", arguments: [1, 2, 6], [1, 2, 6])
    func leavesFewerChannels(_ channels: Int, _ speakers: Int) {
        let layout = ChannelLayout(count: channels)
        let rig = EngineRig(["a": .init(frames: 100_000, format: AudioFormat(sampleRate: 44_100, channelLayout: layout))])
        rig.sink.setSpeakers(ChannelLayout(count: speakers))
        rig.send(.load(EngineRig.request(1, "a")))
        // For a device of one channel the item keeps its channels, because a sound server mixes down to one channel well.
        let isLeft = speakers >= channels || speakers == 1
        #expect(rig.sink.opens.last?.channelLayout == (isLeft ? layout : ChannelLayout(count: speakers)))
    }

    @Test("an item read ahead in another item's device format is read again for its own format")
    func readsAnewInOwnFormat() {
        let mono = AudioFormat(sampleRate: 96_000, channelLayout: .mono)
        let rig = EngineRig(["a": .init(frames: 60_000), "b": .init(frames: 300_000, base: 500_000, format: mono)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.send(.setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 30_000)
        rig.send(.setRate(-1))
        rig.play(frames: 4_410)
        rig.send(.advance, .setRate(1))
        #expect(rig.sink.opens.last == mono)
        let heard = values(rig.play(frames: 5_000)).filter { $0 >= 500_000 }
        #expect(heard.count > 4_000)
        #expect(zip(heard, heard.dropFirst()).allSatisfy { $0 + 1 == $1 })
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

    @Test("a load begins exactly at its start time (R-ITEM-03)")
    func startsAtStartTime() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: 2, timescale: 1))), .setRunning(true))
        #expect(Array(values(rig.play(frames: 1000)).dropFirst(ramp)) == Array(88_200..<(88_200 + 1000 - ramp)))
    }

    @Test("a completed seek reports its landing, and the landing frame follows 5 ms after the old frames")
    func seeks() {
        let rig = playing()
        rig.play(frames: 10_000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 150_001, timescale: 44_100))))
        #expect(Array(values(rig.play(frames: 2000)).dropFirst(ramp)) == Array(150_001..<(150_001 + 2000 - ramp)))
        let events = rig.takeEvents()
        #expect(events.contains { if case .seekCompleted(1, a, let landed, _) = $0 { landed.value == 150_001 } else { false } })
        let start = rig.engine.clock.timeline.segments.last?.start
        #expect(start != nil)
        #expect(events.contains { if case .seekCompleted(1, a, _, start) = $0 { true } else { false } })
    }

    @Test("a seek with tolerance lands on a nearby cheap position and reports it (R-SEEK-01)")
    func seeksWithTolerance() {
        var script = RampReader.Script(frames: 200_000)
        script.grid = 1024
        let rig = playing(["a": script])
        rig.send(
            .seek(
                SeekRequest(
                    id: 7, item: a, time: CMTime(value: 100_000, timescale: 44_100), toleranceBefore: CMTime(value: 1, timescale: 10),
                    toleranceAfter: .zero)))
        #expect(rig.takeEvents().contains { if case .seekCompleted(7, a, let landed, _) = $0 { landed.value == 99_328 } else { false } })
        #expect(rig.now.time.value == 99_328)
    }

    @Test("a seek while paused moves the position and plays nothing")
    func seeksWhilePaused() {
        let rig = playing()
        rig.play(frames: 1000)
        rig.send(.setRunning(false))
        rig.play(frames: 1000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 1, timescale: 1))))
        #expect(rig.play(frames: 1000).isEmpty)
        #expect(rig.now.time.value == 44_100)
    }

    @Test("of several seeks only the newest completes (R-SEEK-02)")
    func newestSeekWins() {
        let rig = playing()
        rig.send(
            .seek(SeekRequest(id: 1, item: a, time: CMTime(value: 1, timescale: 1))),
            .seek(SeekRequest(id: 2, item: a, time: CMTime(value: 2, timescale: 1))),
            .seek(SeekRequest(id: 3, item: a, time: CMTime(value: 3, timescale: 1))))
        let ends = rig.takeEvents().compactMap { event -> String? in
            switch event {
            case .seekCompleted(let id, _, _, _): "done \(id)"
            case .seekFailed(let id, _, _): "failed \(id)"
            default: nil
            }
        }
        #expect(ends == ["failed 1", "failed 2", "done 3"])
    }

    @Test("a refused seek changes neither audio nor position")
    func refusedSeek() {
        var script = RampReader.Script(frames: 200_000)
        script.isSeekable = false
        let rig = playing(["a": script])
        let first = values(rig.play(frames: 30_000))
        rig.send(.seek(SeekRequest(id: 1, item: a, time: .zero)))
        #expect(first + values(rig.play(frames: 60_000)) == Array(0..<90_000))
        #expect(rig.takeEvents().contains { if case .seekFailed(1, a, let error) = $0 { error.code == .notSeekable } else { false } })
    }

    @Test("a seek before the item has opened sets its start (R-SEEK-06)")
    func seeksBeforeReady() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.engine.post(.load(EngineRig.request(1, "a")))
        rig.engine.post(.seek(SeekRequest(id: 4, item: a, time: CMTime(value: 1, timescale: 1))))
        rig.send(.setRunning(true))
        #expect(rig.takeEvents().contains { if case .seekCompleted(4, a, let landed, _) = $0 { landed.value == 44_100 } else { false } })
        #expect(values(rig.play(frames: 500)).last == 44_100 + 499 - ramp)
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

    @Test("if the device is lost, the next output resumes with the frame after the last one heard (R-LNX-34)")
    func survivesLoss() {
        let rig = playing()
        var heard = values(rig.play(frames: 20_000))
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "Gone."))
        rig.sink.lose()
        rig.engine.settle()
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<40_000))
        let events = rig.takeEvents()
        #expect(events.contains { if case .outputChanged(let output, _, .lost) = $0 { output.kind == "fallback" } else { false } })
        #expect(events.compactMap { if case .outputLost(let error) = $0 { error.message } else { nil } } == ["The device was removed."])
    }

    @Test("a preferred output that becomes available takes over without a lost or repeated frame")
    func movesToBetterOutput() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "Not yet."))
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        var heard = values(rig.play(frames: 15_000))
        rig.send(.reselectOutput)
        heard += values(rig.play(frames: 5000))
        rig.sink.failOpens(with: nil)
        rig.send(.reselectOutput)
        #expect(rig.sink.isOpen && !rig.fallback.isOpen)
        let causes = rig.takeEvents().compactMap { if case .outputChanged(_, _, let cause) = $0 { cause } else { nil } }
        #expect(causes == [.opened, .found])
        heard += values(rig.play(frames: 20_000))
        #expect(heard == Array(0..<40_000))
    }

    @Test("the format of the output is reported each time it is opened, before the output itself")
    func reportsOutputFormat() {
        let rig = EngineRig(["a": .init(frames: 20_000)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        _ = rig.play(frames: 5000)
        let events = rig.takeEvents()
        let format = events.firstIndex { if case .outputFormat = $0 { true } else { false } }
        let output = events.firstIndex { if case .outputChanged = $0 { true } else { false } }
        #expect(format != nil && output != nil && format.map { $0 + 1 } == output)
    }

    @Test("without any output the failure is reported, and playback starts when one becomes available")
    func waitsForOutput() {
        let rig = EngineRig(["a": .init(frames: 200_000)])
        rig.sink.failOpens(with: PlaybackError(.outputUnavailable, "None."))
        rig.fallback.failOpens(with: PlaybackError(.outputUnavailable, "None."))
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        #expect(rig.takeEvents().contains { if case .outputFailed = $0 { true } else { false } })
        rig.sink.failOpens(with: nil)
        rig.send(.reselectOutput)
        #expect(values(rig.play(frames: 1000)) == Array(0..<1000))
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

    @Test("a seek at a negative rate lands and plays backwards")
    func seeksBackwards() {
        let rig = playing([:], .setRate(-1))
        rig.opener.set("a", .init(frames: 200_000))
        rig.send(.load(EngineRig.request(1, "a")), .seek(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1))), .setRunning(true))
        #expect(values(rig.play(frames: 1000)).last == 88_200 - 1000 + ramp)
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

    @Test("a seek that fails in the reader changes neither audio nor position, even if it moved the reader")
    func seekThatFailsMidway() {
        var script = RampReader.Script(frames: 300_000)
        script.failsSeeksTo = 150_000
        let rig = playing(["a": script])
        var heard = values(rig.play(frames: 10_000))
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 150_000, timescale: 44_100))))
        #expect(rig.takeEvents().contains { if case .seekFailed(1, a, _) = $0 { true } else { false } })
        heard += values(rig.play(frames: 150_000))
        #expect(heard == Array(0..<160_000))
    }

    @Test("advancing during a seek starts the next item and plays it to its end")
    func advancesWhileSeeking() {
        let rig = playing(
            ["a": .init(frames: 400_000), "b": .init(frames: 300_000, base: 1_000_000)], .setUpcoming([EngineRig.request(2, "b")], after: a))
        rig.play(frames: 350_000)
        rig.engine.post(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 100, timescale: 44_100))))
        rig.engine.post(.advance)
        rig.send(.setRunning(true))
        #expect(Array(values(rig.play(frames: 310_000)).dropFirst(ramp)) == Array(1_000_000..<1_300_000))
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

    @Test("play opens another device if the former one was lost during a pause")
    func losesDeviceInPause() {
        let rig = playing()
        var heard = values(rig.play(frames: 5000))
        rig.send(.setRunning(false))
        heard += values(rig.play(frames: 1000))
        let gone = PlaybackError(.outputUnavailable, "Gone.")
        rig.sink.failOpens(with: gone)
        rig.fallback.failOpens(with: gone)
        rig.sink.lose()
        rig.engine.settle()
        rig.fallback.failOpens(with: nil)
        rig.send(.setRunning(true))
        heard += values(rig.play(frames: 5000))
        #expect(heard.count == 10_000 + ramp)
        #expect(heard.dropFirst(5000 + 2 * ramp) == Array(0..<(10_000 + ramp)).dropFirst(5000 + 2 * ramp))
    }

    @Test("an underrun is reported as an empty buffer (R-BUF-03)")
    func tellsEmpty() {
        var script = RampReader.Script(frames: 200_000)
        script.failsAt = 30_000
        let rig = playing(["a": script])
        _ = rig.takeEvents()
        rig.play(frames: 30_000)
        rig.play(frames: 441)
        #expect(rig.takeEvents().contains { if case .bufferChanged(a, let level) = $0 { level.isEmpty } else { false } })
    }
}
