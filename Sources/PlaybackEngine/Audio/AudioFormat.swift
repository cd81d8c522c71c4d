/// The speaker for each channel of a stream, as the bit mask that WAVE and FFmpeg share (front left 0x1, front right 0x2, front centre 0x4, low
/// frequency 0x8, back left 0x10, back right 0x20, …). The stream's channels are in the order of their bits in the mask, the lowest bit first.
public struct ChannelLayout: Sendable, Hashable {
    /// The bit mask of the speakers, one bit for each; 0 if the order of the channels is unknown.
    public let mask: UInt64
    /// The number of channels, at least 1.
    public let count: Int

    /// Makes the channel layout of the speakers in a bit mask.
    public init(mask: UInt64) {
        self.mask = mask
        self.count = max(1, mask.nonzeroBitCount)
    }

    /// Makes a layout of `count` channels, with the speakers that WAVE assumes for `count` channels. If WAVE assumes no speakers for `count`
    /// channels, the order of the channels is unknown.
    public init(count: Int) {
        precondition(count > 0, "a channel layout must have at least one channel")
        let defaults: [UInt64] = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
        self.mask = count < defaults.count ? defaults[count] : 0
        self.count = count
    }

    /// Whether the layout has both front speakers (left and right), and of each other pair of speakers (back, side, …) both or none. A down-mix to a
    /// layout with fewer channels requires that `hasFront` is true.
    public var hasFront: Bool {
        let pairs: [UInt64] = [0x3, 0x30, 0xC0, 0x600, 0x5000, 0x28000]
        return mask & 0x3 == 0x3 && pairs.allSatisfy { mask & $0 == 0 || mask & $0 == $0 }
    }

    public static let mono = ChannelLayout(mask: 0x4)
    public static let stereo = ChannelLayout(mask: 0x3)
}

/// The format of audio inside the engine: 32-bit float samples in −1…1, with interleaved channels. Integer samples of up to 24 bits are represented
/// exactly.
public struct AudioFormat: Sendable, Hashable {
    /// The sample rate, in frames per second.
    public let sampleRate: Int
    public let channelLayout: ChannelLayout
    public var channelCount: Int { channelLayout.count }

    public init(sampleRate: Int, channelLayout: ChannelLayout) {
        precondition(sampleRate > 0, "a sample rate must be positive")
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
    }

    /// The format of a compact disc: 44.1 kHz stereo.
    public static let compactDisc = AudioFormat(sampleRate: 44_100, channelLayout: .stereo)
}
