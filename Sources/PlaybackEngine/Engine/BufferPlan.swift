/// The amounts of decoded and rendered audio that the engine keeps, for a format and settings. Pure.
///
/// Every amount has a limit in bytes too: 8 channels of 384 kHz, at rate 32, are 400 MB of decoded audio for each second that is heard.
struct BufferPlan {
    let format: AudioFormat
    let settings: EngineSettings

    /// The maximum that is decoded before playback starts or the position changes, in bytes.
    private static let primeBudget = 8 << 20
    /// The ring between the engine and the device, in bytes, without the history.
    private static let ringBudget = 8 << 20
    /// The frames of the ring that the device has taken and may return, in bytes.
    private static let historyBudget = 4 << 20

    /// The maximum that time stretching has read ahead of what it has rendered, in bytes. Both budgets below contain it.
    private var stretchBytes: Int { settings.effectiveRate == 1 ? 0 : Int(Self.stretchSeconds * mediaSecond) * frameSize }
    /// The media that time stretching reads ahead for each unit of the rate, in seconds. A constant quarter of a second is not included.
    static let stretchSeconds = 0.04
    /// The maximum from the playhead to the last rendered frame, in bytes.
    private var leadBudget: Int { max(6 << 20, (12 << 20) - stretchBytes) }
    /// The maximum that the feeder reads ahead of the engine, in bytes. It is the smaller, the larger the ring is.
    private var queueBudget: Int {
        max(4 << 20, (33 << 20) - 2 * min(format.sampleRate * 3 / 2 * frameSize, Self.ringBudget) - 2 * Self.historyBudget - stretchBytes)
    }

    /// The size of a frame, in bytes.
    private var frameSize: Int { format.channelCount * MemoryLayout<Float>.stride }
    /// The media frames that are needed for a second of audio at the present rate; at slow rates, those of a second at rate 1.
    private var mediaSecond: Double { Double(format.sampleRate) * max(1, abs(settings.rate)) }

    /// The frames that are decoded before playback starts or the position changes.
    var primeFrames: Int { min(Int(0.2 * mediaSecond), min(Self.primeBudget, queueBudget) / frameSize) }

    /// The levels of the queue, in frames. The feeder stops above the high one and continues below the low one.
    var queueLimits: (low: Int, high: Int) {
        let high = min(max(2 * mediaSecond, settings.forwardBuffer * Double(format.sampleRate)), Double(queueBudget / frameSize))
        return (Int(0.375 * high), Int(high))
    }

    /// The maximum number of output frames between the playhead and the last rendered frame.
    var leadFrames: Int { Int(Double(leadBudget / frameSize) / max(1, abs(settings.effectiveRate))) }

    /// The frames of the ring ahead of the device: a second and a half.
    var ringFrames: Int { min(format.sampleRate * 3 / 2, Self.ringBudget / frameSize) }
    /// The frames of the ring that the device has taken and may return: the 2 s that a device buffers, and a quarter of a second.
    var historyFrames: Int { min(format.sampleRate * 9 / 4, Self.historyBudget / frameSize) }
}
