import PlaybackEngine
import PlaybackTesting
import Testing

@Suite("Underruns")
struct UnderrunTests {
    private let rig = EngineRig(["/a": RampReader.Script(frames: 2_000_000)])

    /// Returns the number of underruns that the engine has reported since the preceding call of this function.
    private func underruns() -> Int { rig.takeEvents().count { if case .underran = $0 { true } else { false } } }

    @Test("no underrun is reported during timely playback, a pause, or after the end")
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

    @Test("an underrun is reported if the device had no frames although frames were due")
    func dry() {
        rig.send(.load(EngineRig.request(1, "/a")), .setRunning(true))
        rig.play(frames: 44_100)
        #expect(underruns() == 0)
        // The engine is not stepped, as if it were blocked, for longer than the frames in the device and the ring last.
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
