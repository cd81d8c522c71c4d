import Platform

/// The noise that is added to samples before they are rounded to 16 bits.
public enum Dither: String, Sendable, Hashable, CaseIterable {
    /// Each sample is rounded to the nearest value, so that the error depends on the audio.
    case none
    /// The sum of two uniform random values from −½ to ½ of the last bit (triangular density). The error is on average zero whatever the audio is, so
    /// that it is heard as a steady faint noise and not as distortion.
    case tpdf
}

/// An independent sequence for each channel, the same in every run.
struct DitherNoise: Sendable {
    private var generators: [SplitMix64]

    init(channelCount: Int) {
        generators = (0..<max(1, channelCount)).map { SplitMix64(state: 0x5DEE_CE66_D1CE_4E5B &+ UInt64($0) &* 0xD1B5_4A32_D192_ED03) }
    }

    var channelCount: Int { generators.count }

    /// −1…1 in units of the last bit; the two halves of a random number are the two uniform values.
    mutating func next(_ channel: Int) -> Double {
        let bits = generators[channel].next()
        return (Double(bits >> 32) + Double(bits & 0xFFFF_FFFF) + 1) * 0x1p-32 - 1
    }
}
