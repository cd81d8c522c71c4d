import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Corrected playheads")
struct CorrectionTests {
    @Test("a correction of the playhead is reported as one change of the timeline")
    func told() {
        let rig = EngineRig(["a": .init(frames: 100_000)])
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.play(frames: 5_000)
        _ = rig.takeEvents()
        rig.engine.settle()
        func changes() -> Int { rig.takeEvents().count { if case .timelineChanged = $0 { true } else { false } } }
        #expect(changes() == 0)
        rig.sink.correct()
        rig.engine.settle()
        #expect(changes() == 1)
    }
}
