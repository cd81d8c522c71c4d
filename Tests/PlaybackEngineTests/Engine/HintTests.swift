import CoreMedia
import Platform
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("Settings passed from the player to the engine")
struct HintTests {
    private func time(_ frame: Int64) -> CMTime { CMTime(value: frame, timescale: 44_100) }

    @Test("played backwards, the item ends at its reverse end time (R-END-01)")
    func reverseEnd() {
        let rig = EngineRig(["a": .init(frames: 100_000)])
        var request = EngineRig.request(1, "a", start: time(60_000))
        request.reverseEndTime = time(20_001)
        rig.send(.load(request), .setRate(-1), .setRunning(true))
        let heard = rig.play(frames: 60_000).map(\.value)
        // The first 5 ms are the lead-in (a fade-in before the new audio). The comparison begins after it, at the first frame that is played backwards.
        let exact = heard.drop { $0 != 59_999 }
        #expect(exact.count == 60_000 - 20_001)
        #expect(Array(exact) == (20_001...59_999).reversed().map { Float($0) })
        #expect(rig.engine.clock.timeline.segments.last?.reachesEndOfItem == true)
        #expect(rig.now.time == time(20_001))
    }

    @Test("the preferred forward buffer is decoded ahead, at least the engine's own amount and at most a minute (R-BUF-06)")
    func forwardBuffer() {
        func secondsAhead(_ preferred: Double) -> Double {
            let rig = EngineRig(["a": .init(frames: 44_100 * 100)])
            rig.send(.setForwardBuffer(preferred), .load(EngineRig.request(1, "a")))
            // The engine reports a level when one of its flags changes. So the level with `isFull` is reported when the buffer has reached its limit.
            return rig.takeEvents().compactMap { if case .bufferChanged(_, let level) = $0, level.isFull { level.seconds } else { nil } }.last ?? 0
        }
        let own = secondsAhead(0)
        #expect(secondsAhead(10) > 10)
        #expect(secondsAhead(1e9) < 66 && secondsAhead(1e9) > 60)
        for none in [0.5, -3, .nan, .infinity] { #expect(secondsAhead(none) == own) }
    }

    @Test("the role is passed to the open device, and to each one opened later (R-LNX-20)")
    func role() {
        let roles = RoleLog()
        let clock = VirtualClock()
        let engine = SteppedEngine(
            opener: ScriptedOpener(["a": .init(frames: 1_000)]), output: RoleOutput(log: roles), clock: clock, events: { _ in })
        engine.send(.setRole(.video))
        engine.post(.load(EngineRig.request(1, "a")))
        engine.settle()
        #expect(roles.all == [.video])
        engine.send(.setRole(.event))
        engine.settle()
        #expect(roles.all == [.video, .event])
    }
}

private final class RoleLog: Sendable {
    private let roles = Mutex<[StreamRole]>([])
    var all: [StreamRole] { roles.withLock { $0 } }
    func add(_ role: StreamRole) { roles.withLock { $0.append(role) } }
}

private struct RoleOutput: OutputProvider {
    let log: RoleLog
    func makeSink() -> any AudioSink { RoleSink(log: log) }
}

/// A sink that plays nothing, and records only the stream roles that the engine sets.
private final class RoleSink: AudioSink {
    let log: RoleLog
    private let cell = PlayheadCell()
    init(log: RoleLog) { self.log = log }
    func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) {}
    func start() {}
    func stop() {}
    func flush() -> Int64 { 0 }
    func sourceDidFill() {}
    func close() {}
    func setVolume(_ volume: Float, isMuted: Bool) {}
    func setRole(_ role: StreamRole) { log.add(role) }
    var playhead: Playhead { cell.load() }
    var description: OutputDescription { OutputDescription(kind: "role", id: "", name: "") }
    var isAudible: Bool { false }
}
