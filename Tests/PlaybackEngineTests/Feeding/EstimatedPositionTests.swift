import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Estimated positions (R-SEEK-21)")
struct EstimatedPositionTests {
    private let a = ItemID(rawValue: 1)

    private func rig() -> EngineRig {
        var script = RampReader.Script(frames: 500_000)
        script.estimatesSeeks = true
        return EngineRig(["a": script])
    }
    /// Returns the events of seeks and estimates since the last call, in order.
    private func takeEvents(_ rig: EngineRig) -> [String] {
        rig.takeEvents().compactMap { event in
            switch event {
            case .positionEstimated(a, let isEstimated): "\(isEstimated)"
            case .seekCompleted(let id, a, _, _): "seek \(id)"
            default: nil
            }
        }
    }

    @Test("an estimated landing is reported before the seek is completed, and an exact one after it")
    func reported() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a")), .setRunning(true))
        rig.play(frames: 1000)
        #expect(takeEvents(rig) == [])
        for (id, allowsEstimate, expected) in [(1, true, ["true", "seek 1"]), (2, true, ["seek 2"]), (3, false, ["false", "seek 3"])] {
            let time = CMTime(value: 100_000, timescale: 44_100)
            rig.send(.seek(SeekRequest(id: UInt64(id), item: a, time: time, allowsEstimate: allowsEstimate)))
            #expect(takeEvents(rig) == expected)
        }
    }

    @Test("the start position of an item may be estimated")
    func start() {
        let rig = rig()
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: 250_000, timescale: 44_100))), .setRunning(true))
        #expect(takeEvents(rig) == ["true"])
    }
}
