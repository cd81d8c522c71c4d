/// Audio in which a test can find every range of frames again: 16-bit stereo, in which each sample is loud and has a random sign. Equal seeds make
/// equal audio.
///
/// No frame is silent, so silence in a recording was inserted by the player. A change of the volume does not change signs, so a lost, repeated or
/// swapped frame is detected at any volume.
public struct Noise: Sendable {
    /// The sample rate, in frames per second.
    public static let rate = Sound.sampleRate
    public let frames: [Frame]

    /// A stereo frame: one sample of each channel.
    public struct Frame: Hashable, Sendable {
        public var left: Int16
        public var right: Int16

        public init(left: Int16, right: Int16) { (self.left, self.right) = (left, right) }

        public var isSilent: Bool { left == 0 && right == 0 }
        /// Whether a sample has another sign than that of `other`: a difference that a volume cannot cause.
        func differsInSign(from other: Frame) -> Bool {
            left.signum() * other.left.signum() < 0 || right.signum() * other.right.signum() < 0
        }
    }

    public init(seconds: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        frames = (0..<Int(seconds * Double(Self.rate))).map { _ in
            let bits = generator.next()
            let left = 6000 + Int16(bits & 0x1FFF)
            let right = 6000 + Int16((bits >> 16) & 0x1FFF)
            return Frame(left: bits >> 62 & 1 == 0 ? left : -left, right: bits >> 63 == 0 ? right : -right)
        }
    }

    private init(frames: [Frame]) { self.frames = frames }

    /// The noise with its left channel on both sides.
    public var mono: Noise { Noise(frames: frames.map { Frame(left: $0.left, right: $0.left) }) }

    /// Returns the index of the first frame from which on the noise is equal to `stretch`; nil if there is none. The volume must be unchanged.
    public func position(of stretch: ArraySlice<Frame>) -> Int? {
        positions(of: stretch.count).first { start in
            stretch.indices.allSatisfy { frames[start + $0 - stretch.startIndex] == stretch[$0] }
        }
    }

    /// Returns the index of the first frame from which on the noise has the signs of `stretch`; nil if there is none.
    public func position(ofSigns stretch: ArraySlice<Frame>) -> Int? { positions(of: stretch.count).first { hasSigns(of: stretch, at: $0) } }

    /// Returns the distance, negative if backwards, from the frame `place` to the nearest other frame from which on the noise has the signs of
    /// `stretch`; nil if there is none nearer than `reach`.
    public func distance(toSigns stretch: ArraySlice<Frame>, from place: Int, reach: Int) -> Int? {
        let positions = positions(of: stretch.count)
        for distance in 1..<reach {
            for signed in [distance, -distance] where positions.contains(place + signed) {
                if hasSigns(of: stretch, at: place + signed) { return signed }
            }
        }
        return nil
    }

    /// The positions at which the noise has `count` frames, at least one.
    private func positions(of count: Int) -> Range<Int> { count > 0 && count <= frames.count ? 0..<(frames.count - count + 1) : 0..<0 }

    private func hasSigns(of stretch: ArraySlice<Frame>, at start: Int) -> Bool {
        stretch.indices.allSatisfy { !frames[start + $0 - stretch.startIndex].differsInSign(from: stretch[$0]) }
    }
}

/// Noise in samples of a given number of bits, different in each channel. No sample is 0, and equal seeds make equal noise.
public struct WideNoise: Sendable {
    public let bits: Int
    /// The samples of each channel.
    public let channels: [[Int32]]
    public var frameCount: Int { channels[0].count }

    public init(bits: Int, channels: Int = 2, frames: Int, seed: UInt64) {
        self.bits = bits
        self.channels = (0..<channels).map { channel in
            var state = seed &* 31 &+ UInt64(channel)
            return (0..<frames).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                // Half of the full level, so that nothing is clipped. The lowest bit is set, so that a rounding to fewer bits is a difference.
                return Int32(truncatingIfNeeded: Int64(bitPattern: state) >> Int64(65 - bits)) | 1
            }
        }
    }

    /// Returns the samples of a channel as integers of 32 bits.
    public func wide(_ channel: Int) -> [Int32] { channels[channel].map { $0 << Int32(32 - bits) } }
}
