/// The amounts of decoded and rendered audio that the engine keeps, from the format and the settings alone. Each is also limited in bytes: at 8
/// channels, 384 kHz and rate 32, one second of output needs 400 MB of decoded audio.
struct BufferPlan {
    let format: AudioFormat
    let settings: EngineSettings

    /// The limit of the audio that is decoded before playback starts or a seek is completed, in bytes.
    private static let primeBudget = 8 << 20
    /// The limit of the ring, in bytes, without the frames that the device has taken (`historyBudget`).
    private static let ringBudget = 8 << 20
    /// The limit of the frames that the device has taken and may return, in bytes.
    private static let historyBudget = 4 << 20

    /// The bytes that time stretching reads ahead in proportion to the rate; `leadBudget` and `queueBudget` are reduced by them.
    private var stretchBytes: Int { settings.effectiveRate == 1 ? 0 : Int(Self.stretchSeconds * mediaSecond) * frameSize }
    /// The media that time stretching reads ahead for each unit of the rate, in seconds; besides, it reads ahead a quarter of a second at every rate.
    static let stretchSeconds = 0.04
    /// The limit of the audio between the playhead and the last rendered frame, in bytes.
    private var leadBudget: Int { max(6 << 20, (12 << 20) - stretchBytes) }
    /// The limit of the audio that the feeder reads ahead of the engine, in bytes; the larger the ring, the smaller.
    private var queueBudget: Int {
        max(4 << 20, (33 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * Self.historyBudget - stretchBytes)
    }

    /// The bytes of a frame.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }
    /// The number of media frames for one second of output; below rate 1 the same as at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }

    /// The number of media frames that are decoded before playback starts or a seek is completed.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), min(Self.primeBudget, queueBudget) / frameSize) }

    /// The limits of the audio that the feeder reads ahead (`Tape.WriteEnd`), in frames: reading stops at the high limit, and continues below the low
    /// one.
    var queueLimits: (low: Int, high: Int) {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        return (Int(0.375 * high), Int(high))
    }

    /// The greatest number of output frames between the playhead and the last rendered frame.
    var leadFrames: Int { Int(Double(leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    /// The number of frames in the ring that the device has not taken: 1.5 s, or what `ringBudget` allows.
    var ringFrames: Int { min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize) }
    /// The number of frames that stay after the device has taken them, because it may return them: 2.25 s, or what `historyBudget` allows. A device
    /// buffers at most 2 s.
    var historyFrames: Int { min(format.sampleRate * 9 / 4, Self.historyBudget / frameSize) }
}
