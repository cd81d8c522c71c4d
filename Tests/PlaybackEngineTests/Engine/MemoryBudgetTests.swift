import CoreMedia
import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("Decoded audio ahead of the playhead")
struct MemoryBudgetTests {
    private final class Reached: Sendable { let position = Mutex(Int64(0)) }

    /// The maximum number of bytes read but not yet heard, while a tenth of a second of 8 channels at 384 kHz is heard at `rate`.
    private func mostAhead(rate: Double, forwardBuffer: Double = 0) -> (bytes: Int64, heard: Int64) {
        let format = AudioFormat(sampleRate: 384_000, channelLayout: ChannelLayout(count: 8))
        let reached = Reached()
        var script = RampReader.Script(frames: 384_000 * 600, format: format, blockSize: 16_384)
        script.afterRead = { position in reached.position.withLock { $0 = max($0, position) } }
        let rig = EngineRig(["a": script])
        rig.send(.setRate(rate), .setForwardBuffer(forwardBuffer), .load(EngineRig.request(1, "a")), .setRunning(true))
        var most = Int64(0), heard = Int64(0)
        for _ in 0..<4 {
            rig.play(frames: 9_600, quantum: 2_400)
            heard = rig.now.time.convertScale(384_000, method: .roundTowardZero).value
            most = max(most, (reached.position.withLock { $0 } - heard) * 32)
        }
        return (most, heard)
    }

    @Test("decoded audio has a limit in bytes at rate 32 too: 9 MiB in the queue, 12 MiB from the playhead to the last frame rendered")
    func fast() {
        let (bytes, heard) = mostAhead(rate: 32)
        #expect(bytes <= (9 + 12 + 2) << 20)
        #expect(heard > 38_000 * 30, "playback continues")
    }

    @Test("the limit also applies if a forward buffer of a minute is preferred (R-BUF-06)")
    func asked() {
        let (bytes, heard) = mostAhead(rate: 1, forwardBuffer: 60)
        #expect(bytes <= (9 + 12 + 2) << 20)
        #expect(heard >= 38_000)
    }
}
