/// The amounts of decoded and rendered audio that the engine keeps, which follow from a format and the settings. Pure.
///
/// Every amount is also limited in bytes, because audio can be large: with 8 channels of 384 kHz at rate 32, one second that is heard takes 400 MB of
/// decoded audio.
struct BufferPlan {
    let format: AudioFormat
    let settings: EngineSettings

    /// The maximum amount of audio that is decoded before playback starts or the position changes, in bytes.
    private static let primeBudget = 8 << 20
    /// The capacity of the ring between the engine and the device, in bytes, without the frames that the device has taken (`historyBudget`).
    private static let ringBudget = 8 << 20
    /// The maximum size of the frames in the ring that the device has taken and may return, in bytes.
    private static let historyBudget = 4 << 20

    /// The maximum amount of input that time stretching has read but not rendered, in bytes. `leadBudget` and `queueBudget` are reduced by this
    /// amount.
    private var stretchBytes: Int { settings.effectiveRate == 1 ? 0 : Int(Self.stretchSeconds * mediaSecond) * frameSize }
    /// The input that time stretching reads ahead for each unit of the rate, in seconds of media. The constant part of a quarter of a second is not
    /// included.
    static let stretchSeconds = 0.04
    /// The maximum size of the audio between the playhead and the last rendered frame, in bytes.
    private var leadBudget: Int { max(6 << 20, (12 << 20) - stretchBytes) }
    /// The maximum size of the audio that the feeder reads ahead of the engine, in bytes. A larger ring leaves less for the feeder.
    private var queueBudget: Int {
        max(4 << 20, (33 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * Self.historyBudget - stretchBytes)
    }

    /// The size of a frame, in bytes.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }
    /// The number of media frames that are needed for a second of audio at the present rate. For rates below 1, the number at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }

    /// The number of media frames that are decoded before playback starts or the position changes.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), min(Self.primeBudget, queueBudget) / frameSize) }

    /// The limits of the queue between feeder and engine, in frames. The feeder stops reading above the high one and continues below the low one.
    var queueLimits: (low: Int, high: Int) {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        return (Int(0.375 * high), Int(high))
    }

    /// The maximum number of output frames between the playhead and the last rendered frame.
    var leadFrames: Int { Int(Double(leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    /// The number of frames in the ring that the device has not taken, at most: a second and a half.
    var ringFrames: Int { min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize) }
    /// The number of frames that remain in the ring after the device has taken them, because it may return them: the 2 s that a device buffers, and a
    /// quarter of a second.
    var historyFrames: Int { min(format.sampleRate * 9 / 4, Self.historyBudget / frameSize) }
}
