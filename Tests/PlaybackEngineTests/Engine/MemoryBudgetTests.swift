import CoreMedia
@testable import PlaybackEngine
import PlaybackTesting
import Synchronization
import Testing

@Suite("Decoded audio ahead of the playhead")
struct MemoryBudgetTests {
    private final class Reached: Sendable { let position = Mutex(Int64(0)) }

    /// Plays audio of 8 channels at 384 kHz with the rate `rate`. Returns the maximum number of bytes that were read and not yet heard, and the
    /// number of frames heard.
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

    @Test("decoded audio has a limit in bytes at rate 32 too: 4 MiB in the queue, 6 MiB from the playhead to the last frame rendered")
    func fast() {
        // The budgets are reduced by 15 MiB for the audio that time stretching reads ahead. The stretcher of this test reads nothing ahead, so only
        // the reduced budgets remain.
        let (bytes, heard) = mostAhead(rate: 32)
        #expect(bytes <= (4 + 6 + 2) << 20)
        #expect(heard > 38_000 * 30, "playback continues")
    }

    @Test("the budgets contain all that time stretching reads ahead", arguments: [1.01, 1.25, 2, 8, 31, 32])
    func stretching(rate: Double) {
        for quality in [WSOLATimePitch.Quality.standard, .lowLatency] {
            let stretcher = WSOLATimePitch(sampleRate: 384_000, channelCount: 8, quality: quality)
            stretcher.reset(rate: rate)
            #expect(Double(stretcher.lookahead) <= BufferPlan.stretchSeconds * rate * 384_000 + 0.25 * 384_000)
        }
    }

    @Test("the queue has the capacity for the audio that is decoded before playback starts", arguments: [1.0, 2, 8, 32])
    func primed(rate: Double) {
        var settings = EngineSettings()
        settings.rate = rate
        for channels in [1, 2, 8, 64] {
            for sampleRate in [8_000, 48_000, 768_000] {
                let plan = BufferPlan(format: AudioFormat(sampleRate: sampleRate, channelLayout: ChannelLayout(count: channels)), settings: settings)
                #expect(plan.primeFrames <= plan.queueLimits.high)
                #expect(plan.leadFrames > 0)
            }
        }
    }

    @Test("the limit also applies if a forward buffer of a minute is preferred (R-BUF-06)")
    func asked() {
        let (bytes, heard) = mostAhead(rate: 1, forwardBuffer: 60)
        #expect(bytes <= (9 + 12 + 2) << 20)
        #expect(heard >= 38_000)
    }
}
