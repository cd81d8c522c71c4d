/// How much audio the engine keeps decoded and rendered, for a format and settings. Pure.
///
/// Every amount has a limit in bytes too: 8 channels of 384 kHz, at rate 32, are 400 MB of decoded audio for each second that is heard.
struct BufferPlan {
    let format: AudioFormat
    let settings: EngineSettings

    /// The most that is decoded before audio starts or moves, in bytes.
    private static let primeBudget = 8 << 20
    /// The ring between the engine and the device, in bytes, without the history.
    private static let ringBudget = 8 << 20
    /// The frames behind the ring's end that a device may give back, in bytes.
    private static let historyBudget = 4 << 20

    /// Bytes that time stretching has read ahead of what it has rendered, at most. Both budgets below contain them.
    private var stretchBytes: Int { settings.effectiveRate == 1 ? 0 : Int(Self.stretchSeconds * mediaSecond) * frameSize }
    /// What time stretching reads ahead for each unit of the rate, in seconds of media; a quarter of a second is not counted.
    static let stretchSeconds = 0.04
    /// The most that is kept from the playhead to the last rendered frame, in bytes.
    private var leadBudget: Int { max(6 << 20, (12 << 20) - stretchBytes) }
    /// What the feeder reads ahead of the engine, in bytes: the less, the larger the ring is.
    private var queueBudget: Int {
        max(4 << 20, (33 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * Self.historyBudget - stretchBytes)
    }

    /// Bytes.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }
    /// The media frames that a second of audio takes at the present rate; at slow rates, those of a second at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }

    /// Frames that are decoded before audio starts or moves.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), min(Self.primeBudget, queueBudget) / frameSize) }

    /// The feeder stops above the high limit and continues below the low one.
    var queueLimits: (low: Int, high: Int) {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        return (Int(0.375 * high), Int(high))
    }

    /// The most output frames between the playhead and the last rendered frame.
    var leadFrames: Int { Int(Double(leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    /// Frames of the ring ahead of the device: a second and a half.
    var ringFrames: Int { min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize) }
    /// Frames of the ring that the device has taken and may give back: the 2 s that a device holds, and a little more.
    var historyFrames: Int { min(format.sampleRate * 9 / 4, Self.historyBudget / frameSize) }
}
