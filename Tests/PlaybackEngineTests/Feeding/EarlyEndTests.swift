import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Items that end before their stated duration")
struct EarlyEndTests {
    private let a = ItemID(rawValue: 1)

    /// Returns an engine with a medium that states a duration of 300,000 frames, but has only 100,000.
    private func rig() -> EngineRig {
        var script = RampReader.Script(frames: 100_000)
        script.duration = .exact(frames: 300_000, sampleRate: 44_100)
        return EngineRig(["a": script])
    }

    private func landing(_ rig: EngineRig, _ id: UInt64) -> Int64? {
        rig.takeEvents().reduce(nil) { if case .seekCompleted(id, a, let landed, _) = $1 { landed.value } else { $0 } }
    }

    @Test("a seek beyond the actual end lands at that end, which is reached at once (R-EOI-08)")
    func seeksBehindTheEnd() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.play(frames: 10_000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 250_000, timescale: 44_100))))
        #expect(landing(rig, 1) == 100_000)
        rig.play(frames: 20_000)
        #expect(rig.now.time == CMTime(value: 100_000, timescale: 44_100))
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
    }

    @Test("a seek before the actual end lands on its target")
    func seeksInside() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 99_999, timescale: 44_100))))
        #expect(landing(rig, 1) == 99_999)
    }

    @Test("with a negative rate, a seek beyond the actual end plays backwards from that end")
    func seeksBehindTheEndBackwards() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.play(frames: 1000)
        rig.send(.setRate(-1))
        rig.send(.seek(SeekRequest(id: 2, item: a, time: CMTime(value: 250_000, timescale: 44_100))))
        #expect(landing(rig, 2) == 100_000)
        let heard = rig.play(frames: 4410)
        #expect(heard.contains { $0.value == 99_999 })
    }

    @Test("a load with a start time beyond the actual end is at that end")
    func startsBehindTheEnd() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: 250_000, timescale: 44_100))), .setRunning(true))
        rig.play(frames: 4410)
        #expect(rig.now.time == CMTime(value: 100_000, timescale: 44_100))
    }
}
