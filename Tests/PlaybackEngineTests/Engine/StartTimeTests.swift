import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

/// Tests of starts at a given host time, with a device that records the frames that it plays.
@Suite("Starts at a host time")
struct StartTimeTests {
    private let a = ItemID(rawValue: 1)

    private func rig(start: Int64 = 0) -> EngineRig {
        let rig = EngineRig(["a": .init(frames: 400_000, base: 1)])
        rig.send(.load(EngineRig.request(1, "a", start: CMTime(value: start, timescale: 44_100))))
        return rig
    }
    /// Requests a start at the host time in `seconds`, and plays until after that time. Returns the frames that the device has played since the
    /// command, and the index among them of the frame that was played at the host time.
    private func start(_ rig: EngineRig, after seconds: Double, meet notice: Double = 0.25) -> (heard: [CaptureSink.Heard], due: Int) {
        let first = rig.now.frame
        let host = rig.clock.now + seconds
        rig.send(.awaitStart(host), .setRunning(true))
        var heard = rig.play(frames: Int((seconds - notice) * 44_100))
        rig.send(.meetStart)
        heard += rig.play(frames: 60_000)
        return (heard.filter { $0.frame >= first }, Int((seconds * 44_100).rounded()))
    }

    @Test("the first frame of an item is heard at the host time, exactly and unchanged, after silence", arguments: [0.5, 1.0, 1.2345])
    func atStart(_ seconds: Double) {
        let (heard, due) = start(rig(), after: seconds)
        #expect(heard.firstIndex { $0.value != 0 } == due)
        #expect(heard[due...].map { Int($0.value) } == Array(1...(heard.count - due)))
    }

    @Test("a start inside an item is at the host time too, and fades in over 5 ms")
    func inside() {
        let (heard, due) = start(rig(start: 100_000), after: 1)
        #expect(heard[..<due].allSatisfy { $0.value == 0 })
        #expect(heard[(due + 220)...].first.map { Int($0.value) } == 100_221)
        #expect(heard[due + 110].value < 100_111)
    }

    @Test("a paused item continues at the host time, with the frame that was due")
    func resumed() {
        let rig = rig()
        rig.send(.setRunning(true))
        rig.play(frames: 44_100)
        rig.send(.setRunning(false))
        rig.play(frames: 4410)
        // The first unheard frame: 44,100 frames and the fade-out of the pause (220 frames) were heard before it.
        let next = 44_321
        let (heard, due) = start(rig, after: 1)
        #expect(heard[..<due].allSatisfy { $0.value == 0 })
        #expect(heard[(due + 220)...].first.map { Int($0.value) } == next + 220)
    }

    @Test("the position rests until the host time, and then follows what is heard")
    func position() {
        let rig = rig()
        let host = rig.clock.now + 1
        rig.send(.awaitStart(host), .setRunning(true))
        rig.play(frames: 33_000)
        #expect(rig.now.time == .zero)
        rig.send(.meetStart)
        rig.play(frames: 11_100 + 4410)
        #expect(rig.now.time.value == 4410)
    }

    @Test("a late meeting starts as soon as the silence has ended")
    func late() {
        let (heard, _) = start(rig(), after: 1, meet: -0.2)
        let first = heard.firstIndex { $0.value != 0 } ?? 0
        #expect(heard[first...].prefix(1000).map { Int($0.value) } == Array(1...1000))
    }

    @Test("a pause removes the silence, and the next start is at once")
    func abandoned() {
        let rig = rig()
        rig.send(.awaitStart(rig.clock.now + 1), .setRunning(true))
        rig.play(frames: 10_000)
        rig.send(.setRunning(false))
        rig.play(frames: 4410)
        rig.send(.meetStart)
        rig.send(.setRunning(true))
        #expect(rig.play(frames: 4410).contains { $0.value > 1000 })
    }

    @Test("a seek while a start is awaited plays from its landing at once")
    func seek() {
        let rig = rig()
        rig.send(.awaitStart(rig.clock.now + 1), .setRunning(true))
        rig.play(frames: 10_000)
        rig.send(.seek(SeekRequest(id: 1, item: a, time: CMTime(value: 200_000, timescale: 44_100))))
        #expect(rig.play(frames: 10_000).contains { $0.value > 200_001 })
    }

    @Test("while playing, a prepared start has no effect")
    func noEffect() {
        let rig = rig()
        rig.send(.setRunning(true))
        rig.play(frames: 1000)
        rig.send(.awaitStart(rig.clock.now + 1))
        #expect(rig.play(frames: 1000).map { Int($0.value) } == Array(1001...2000))
    }
}
