/// The quality of conversions between sample rates.
public enum Resampler: String, Sendable, Hashable, CaseIterable {
    /// The transition band extends from 0.907 to 1 times half of the lower rate (from 20 to 22.05 kHz at 44.1 kHz). Below the band the ripple is less
    /// than 0.0001 dB. Above it images and aliases are at most −140 dB.
    case best
    /// About a third of the taps of `best`, for small machines. The transition band extends from 0.83 to 1.03 times half of the lower rate. Below the
    /// band the ripple is less than 0.001 dB. Above it images and aliases are at most −95 dB.
    case fast

    // These values were found by measurement: with fewer taps or a higher cutoff, aliases from the transition band remain.

    /// The number of taps of the filter, counted at the lower rate.
    var taps: Int { self == .best ? 208 : 64 }
    /// The parameter of the Kaiser window.
    var beta: Double { self == .best ? 15 : 10 }
    /// The middle of the transition band, as a fraction of half of the lower rate.
    var cutoff: Double { self == .best ? 0.953 : 0.93 }
}

/// The parameters with which libswresample makes the filter of a conversion between two sample rates: a sinc with a Kaiser window, of linear phase.
struct ResamplingFilter: Hashable {
    let quality: Resampler
    /// The number of taps, counted at the lower rate. It is less than `quality.taps` only if the input's rate is hundreds of times the output's rate,
    /// so that the filter of one output frame stays small.
    let taps: Int
    /// The base-2 logarithm of the number of filters for the positions of an output frame between two input frames. If the conversion is exact,
    /// libswresample makes only as many filters as the ratio has phases.
    let phaseShift: Int
    /// Whether each output frame is computed with the filter of its exact position. Otherwise it is interpolated between two filters.
    let isExact: Bool
    /// Whether the resampler computes in double precision: the rounding of a sum of thousands of products in single precision would be measurable.
    let isDouble: Bool
    /// The middle of the transition band as a fraction of half of the output's rate, which is libswresample's unit. If it were above half of the
    /// input's rate, libswresample would reduce it to exactly that half, and images of tones in the transition band would remain.
    let cutoff: Double
    /// The number of input frames that the filter of one output frame uses.
    let length: Int

    /// The value of `length` above which the number of taps is reduced.
    private static let maximumLength = 1 << 16
    /// The maximum size of the filters of an exact conversion, in coefficients. All pairs of usual rates need less.
    private static let maximumSize = 1 << 21

    init(from input: Int, to output: Int, _ quality: Resampler = .best) {
        self.quality = quality
        let factor = max(1, Double(input) / Double(output))
        let usualLength = Double(quality.taps) / quality.cutoff * factor
        taps = max(1, Int(Double(quality.taps) * min(1, Double(Self.maximumLength) / usualLength)))
        cutoff = quality.cutoff * min(1, Double(input) / Double(output))
        length = Int((Double(taps) / quality.cutoff * factor).rounded(.up)) + 8
        let phases = output / Ratio.greatestCommonDivisor(input, output)
        isExact = phases <= Self.maximumSize / length
        isDouble = length > 4096
        // For interpolation, 2048 filters are enough for 138 dB. If the output's rate is lower, the filters differ less from each other, so fewer are
        // enough. Their total memory therefore does not grow with the ratio.
        var shift = isExact ? 8 : 11
        if isExact {
            while 1 << shift < phases { shift += 1 }
        } else {
            var rest = factor
            while rest >= 2, shift > 0 { (rest, shift) = (rest / 2, shift - 1) }
        }
        phaseShift = shift
    }
}
