import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Underruns")
struct UnderrunTests {
    private let rig = EngineRig(["/a": RampReader.Script(frames: 2_000_000)])

    /// How many have been told since the last call.
    private func underruns() -> Int { rig.takeEvents().count { if case .underran = $0 { true } else { false } } }

    @Test("none is told of sound that comes in time, while paused, and at the end of everything")
    func none() {
        rig.send(.load(EngineRig.request(1, "/a")), .setRunning(true))
        rig.play(frames: 44_100)
        rig.send(.setRunning(false))
        rig.play(frames: 44_100)
        rig.send(.setRunning(true))
        rig.play(frames: 2_000_000)
        #expect(rig.now.rate == 0)
        #expect(underruns() == 0)
    }

    @Test("one is told of a device that had nothing to play although sound was due")
    func dry() {
        rig.send(.load(EngineRig.request(1, "/a")), .setRunning(true))
        rig.play(frames: 44_100)
        #expect(underruns() == 0)
        // The engine is held up for longer than what the device and the ring have lasts.
        for _ in 0..<3 {
            rig.clock.advance(by: 4)
            rig.sink.play(frames: 4 * 44_100)
        }
        rig.engine.settle()
        #expect(underruns() > 0)
        rig.play(frames: 22_050)
        #expect(underruns() == 0)
    }
}
