import Glibc
import Platform

/// Noise from a seed, in a band that every codec preserves. It differs in each channel, so that a correlation finds exactly one position.
public struct TestSignal: Sendable, Hashable {
    public var sampleRate: Int
    public var channelCount: Int
    public var frameCount: Int
    public var seed: UInt64
    /// Whether the signal is silent except for bursts, like drums, which make some codecs change between blocks of two lengths.
    public var hasAttacks: Bool

    public init(sampleRate: Int = 44_100, channelCount: Int = 2, frameCount: Int, seed: UInt64 = 409_970, hasAttacks: Bool = false) {
        self.sampleRate = sampleRate
        self.channelCount = channelCount
        self.frameCount = frameCount
        self.seed = seed
        self.hasAttacks = hasAttacks
    }

    /// The interleaved samples as integers of `bits` bits.
    public func integers(bits: Int) -> [Int32] {
        let scale = Double(Int64(1) << Int64(bits - 1))
        return samples().map { Int32(max(-scale, min(scale - 1, ($0 * scale).rounded()))) }
    }

    /// The interleaved samples, −1…1.
    public func samples() -> [Double] {
        var output = [Double](repeating: 0, count: frameCount * channelCount)
        for channel in 0..<channelCount {
            var random = SeededGenerator(seed: seed &+ UInt64(channel) &* 0x9E37_79B9_7F4A_7C15)
            // Two low-pass filters at 1/8 and a high-pass at 1/300 of the rate give a pink spectrum, which suits every codec.
            var slow = 0.0, low1 = 0.0, low2 = 0.0
            for frame in 0..<frameCount {
                let white = Double(Int64(bitPattern: random.next())) * 0x1p-63
                low1 += 0.5 * (white - low1)
                low2 += 0.5 * (low1 - low2)
                slow += 0.02 * (low2 - slow)
                output[frame * channelCount + channel] = max(-0.95, min(0.95, 0.9 * (low2 - slow)))
            }
        }
        return hasAttacks ? struck(output) : output
    }

    /// Silences the sound except for bursts at random intervals, each of a few hundredths of a second.
    private func struck(_ sound: [Double]) -> [Double] {
        var random = SeededGenerator(seed: seed), output = sound, level = 0.0, next = sampleRate / 10
        let decay = pow(0.5, 200 / Double(sampleRate))
        for frame in 0..<frameCount {
            if frame == next {
                level = 2
                next += Int.random(in: (sampleRate / 12)...(sampleRate / 4), using: &random)
            }
            for index in (frame * channelCount)..<((frame + 1) * channelCount) { output[index] = max(-0.95, min(0.95, output[index] * level)) }
            level *= decay
        }
        return output
    }
}

/// A generator of random numbers; equal seeds give equal numbers.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var generator: SplitMix64
    public init(seed: UInt64) { generator = SplitMix64(state: seed) }
    public mutating func next() -> UInt64 { generator.next() }
    /// Returns a random sample in −1…1.
    public mutating func sample() -> Float { Float(Int32(truncatingIfNeeded: next() >> 40) - 8_388_608) / 8_388_608 }
}
