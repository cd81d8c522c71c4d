/// Which speakers the channels of a stream belong to, as the bit mask that WAVE and FFmpeg share (front left 0x1, front right 0x2,
/// front centre 0x4, low frequency 0x8, back left 0x10, back right 0x20, …), lowest bit first.
public struct ChannelLayout: Sendable, Hashable {
    /// One bit for each speaker; 0 where the order is not known.
    public let mask: UInt64
    /// The number of channels, at least 1.
    public let count: Int

    /// A layout of named speakers.
    public init(mask: UInt64) {
        self.mask = mask
        self.count = max(1, mask.nonzeroBitCount)
    }

    /// A layout of `count` channels, named as WAVE does by default where it has a default.
    public init(count: Int) {
        precondition(count > 0, "a channel layout must have at least one channel")
        let defaults: [UInt64] = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3F, 0x70F, 0x63F]
        self.mask = count < defaults.count ? defaults[count] : 0
        self.count = count
    }

    /// Whether there is a front pair, and every other pair is whole: what a down-mix needs.
    public var hasFront: Bool {
        let pairs: [UInt64] = [0x3, 0x30, 0xC0, 0x600, 0x5000, 0x28000]
        return mask & 0x3 == 0x3 && pairs.allSatisfy { mask & $0 == 0 || mask & $0 == $0 }
    }

    public static let mono = ChannelLayout(mask: 0x4)
    public static let stereo = ChannelLayout(mask: 0x3)
}

/// The shape of sound inside the engine: 32-bit float samples in −1…1, channels interleaved, `sampleRate` frames a second.
/// Integer sound of up to 24 bits passes through it unchanged.
public struct AudioFormat: Sendable, Hashable {
    /// Frames a second.
    public let sampleRate: Int
    public let channelLayout: ChannelLayout
    public var channelCount: Int { channelLayout.count }

    public init(sampleRate: Int, channelLayout: ChannelLayout) {
        precondition(sampleRate > 0, "a sample rate must be positive")
        self.sampleRate = sampleRate
        self.channelLayout = channelLayout
    }

    /// 44.1 kHz stereo.
    public static let compactDisc = AudioFormat(sampleRate: 44_100, channelLayout: .stereo)
}
