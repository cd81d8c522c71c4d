/// The amounts of decoded and rendered audio that the engine keeps, computed from the audio format and the settings alone.
///
/// Every amount of buffered audio is also limited in bytes, because some formats need much memory: at 8 channels, 384 kHz and rate 32, one second of
/// output needs 400 MB of decoded audio.
struct BufferPlan {
    let format: AudioFormat
    let settings: EngineSettings

    /// The maximum size of the audio that is decoded before playback starts or a seek is completed, in bytes.
    private static let primeBudget = 8 << 20
    /// The capacity of the ring between the engine and the device, in bytes, without the frames that the device has taken (`historyBudget`).
    private static let ringBudget = 8 << 20
    /// The maximum size of the frames in the ring that the device has taken and may return, in bytes.
    private static let historyBudget = 4 << 20

    /// The input that time stretching reads ahead in proportion to the rate, in bytes; 0 at rate 1. `leadBudget` and `queueBudget` are reduced by
    /// this amount.
    private var stretchBytes: Int { settings.effectiveRate == 1 ? 0 : Int(Self.stretchSeconds * mediaSecond) * frameSize }
    /// The media that time stretching reads ahead for each unit of the rate, in seconds: at rate 2 twice as much as at rate 1. The quarter of a
    /// second that the stretcher reads ahead at every rate is not included.
    static let stretchSeconds = 0.04
    /// The maximum size of the audio between the playhead and the last rendered frame, in bytes.
    private var leadBudget: Int { max(6 << 20, (12 << 20) - stretchBytes) }
    /// The maximum size of the audio that the feeder reads ahead of the engine, in bytes. The larger the ring, the smaller is `queueBudget`.
    private var queueBudget: Int {
        max(4 << 20, (33 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * Self.historyBudget - stretchBytes)
    }

    /// The size of a frame, in bytes.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }
    /// The number of media frames that one second of output needs at the present rate; for rates below 1, the number at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }

    /// The number of media frames that are decoded before playback starts or a seek is completed.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), min(Self.primeBudget, queueBudget) / frameSize) }

    /// The limits of the queue between feeder and engine, in frames. The feeder stops reading if the queue exceeds the high limit, and continues if
    /// the queue falls below the low limit.
    var queueLimits: (low: Int, high: Int) {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        return (Int(0.375 * high), Int(high))
    }

    /// The maximum number of output frames between the playhead and the last rendered frame.
    var leadFrames: Int { Int(Double(leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    /// The maximum number of frames in the ring that the device has not taken: 1.5 s of audio, or as many as `ringBudget` allows.
    var ringFrames: Int { min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize) }
    /// The maximum number of frames that stay in the ring after the device has taken them, because the device may return them: 2.25 s of audio, or as
    /// many as `historyBudget` allows. A device buffers at most 2 s.
    var historyFrames: Int { min(format.sampleRate * 9 / 4, Self.historyBudget / frameSize) }
}
