import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("The engine: seeks")
struct EngineSeekTests: RampPlaying {
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

    @Test("a seek reports the buffer after its landing, even if no flag differs (R-BUF-01)", arguments: [1.0, 2])
    func bufferAfterSeek(rate: Double) throws {
        let rig = playing(["a": .init(frames: 88_200)])
        rig.send(.setRate(rate))
        rig.play(frames: 10_000)
        _ = rig.takeEvents()
        // Before and after the seek the item's end is decoded, so the flags are the same.
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 88_200 - 441, timescale: 44_100))))
        let events = rig.takeEvents()
        let landing = try #require(events.firstIndex { if case .seekCompleted = $0 { true } else { false } })
        let levels = events[landing...].compactMap { if case .bufferChanged(a, let level) = $0 { level } else { nil } }
        let level = try #require(levels.first)
        #expect(levels.count == 1 && level.isFull && level.isLikelyToKeepUp && !level.isEmpty)
        let end = try #require(level.end?.seconds)
        #expect(level.seconds > 0 && abs(end - rig.now.time.seconds - level.seconds) < 0.001)
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

    @Test("a seek at a negative rate lands and plays backwards")
    func seeksBackwards() {
        let rig = playing([:], .setRate(-1))
        rig.opener.set("a", .init(frames: 200_000))
        rig.send(.load(EngineRig.request(1, "a")), .seek(SeekRequest(id: 1, item: a, time: CMTime(value: 2, timescale: 1))), .setRunning(true))
        #expect(values(rig.play(frames: 1000)).last == 88_200 - 1000 + ramp)
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

    @Test("an error of the medium is reported after the seek that has led to it, and the audio before it is heard (R-EOI-07)")
    func seeksToError() {
        var script = RampReader.Script(frames: 200_000)
        script.failsAt = 60_000
        let rig = playing(["a": script])
        rig.play(frames: 1000)
        _ = rig.takeEvents()
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 58_000, timescale: 44_100))))
        let ends = rig.takeEvents().compactMap { event -> String? in
            switch event {
            case .seekCompleted: "landed"
            case .failed: "failed"
            default: nil
            }
        }
        #expect(ends == ["landed", "failed"])
        #expect(Array(values(rig.play(frames: 5000)).suffix(2000)) == Array(58_000..<60_000))
    }
}
