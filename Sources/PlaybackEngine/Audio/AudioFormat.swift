/// The speakers of a stream's channels, as the bit mask of WAVE and FFmpeg (front left 0x1, front right 0x2, front centre 0x4, low frequency 0x8,
/// back left 0x10, back right 0x20, …). The channels are in the order of their bits, the lowest first.
public struct ChannelLayout: Sendable, Hashable {
    /// The bits of the speakers; 0 if the order of the channels is unknown.
    public let mask: UInt64
    /// The number of channels, at least 1.
    public let count: Int

    public init(mask: UInt64) {
        self.mask = mask
        self.count = max(1, mask.nonzeroBitCount)
    }

    /// The layout that WAVE assumes for `count` channels; if WAVE assumes none, the order of the channels is unknown (`mask` 0).
    public init(count: Int) {
        precondition(count > 0, "a channel layout must have at least one channel")
        let defaults: [UInt64] = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
        self.mask = count < defaults.count ? defaults[count] : 0
        self.count = count
    }

    public static let mono = ChannelLayout(mask: 0x4)
    public static let stereo = ChannelLayout(mask: 0x3)
}

/// The format of audio inside the engine: 32-bit float samples in −1…1, interleaved. They represent integer samples of up to 24 bits exactly.
public struct AudioFormat: Sendable, Hashable {
    /// The frames per second.
    public let sampleRate: Int
    public let channelLayout: ChannelLayout
    public var channelCount: Int { channelLayout.count }

    public init(sampleRate: Int, channelLayout: ChannelLayout) {
        precondition(sampleRate > 0, "a sample rate must be positive")
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
    }

    /// The bits of the largest integers that are exact.
    public static let precision = 24

    /// 44.1 kHz stereo.
    public static let compactDisc = AudioFormat(sampleRate: 44_100, channelLayout: .stereo)
}

extension AudioFormat {
    /// The sample rates that all parts of the engine support, in frames per second.
    public static let playableRates = 4000...384_000

    /// The nearest format that all parts of the engine support; if the device has two speakers or more, with at most one channel for each speaker.
    ///
    /// The feeder converts to this format, because a sound server has a poorer filter, and may almost discard channels without a speaker. For one
    /// speaker the server mixes down instead, so that the down-mix ends if the server moves the stream to a device with more speakers. A parameter is
    /// nil if no device is open, or if the device accepts any value.
    func playable(on speakers: ChannelLayout?, at deviceRate: Int?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count { layout = speakers }
        let rate = deviceRate ?? sampleRate
        return AudioFormat(sampleRate: Self.playableRates.contains(rate) ? rate : 48_000, channelLayout: layout)
    }
}

extension AudioSink {
    /// The device's own sample rate; nil if it has none, or one that the engine does not support.
    var playableRate: Int? { sampleRate.flatMap { AudioFormat.playableRates.contains($0) ? $0 : nil } }
}
