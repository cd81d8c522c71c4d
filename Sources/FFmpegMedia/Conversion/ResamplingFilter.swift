/// The quality of conversions between sample rates.
public enum Resampler: String, Sendable, Hashable, CaseIterable {
    /// A transition between 0.907 and 1 of the lower rate's half (20 and 22.05 kHz of 44.1 kHz). Below it the ripple is less than 0.0001 dB, and above
    /// it images and aliases are at most −140 dB.
    case best
    /// A third of the filter, for small machines: a transition between 0.83 and 1.03 of the lower rate's half. Below it the ripple is less than
    /// 0.001 dB, and above it images and aliases are at most −95 dB.
    case fast

    // The constants were found by measurement: with fewer taps or a higher cutoff, aliases from the transition remain.

    /// The number of taps of the filter at the lower rate.
    var taps: Int { self == .best ? 208 : 64 }
    /// The parameter of the Kaiser window.
    var beta: Double { self == .best ? 15 : 10 }
    /// The middle of the transition, as a fraction of the lower rate's half.
    var cutoff: Double { self == .best ? 0.953 : 0.93 }
}

/// The filter of a conversion between two sample rates: a sinc with a Kaiser window, of linear phase.
struct ResamplingFilter: Hashable {
    let quality: Resampler
    /// The number of taps at the lower rate. It is smaller only if the medium claims hundreds of times the rate of the output, so that the filter of
    /// one frame stays small.
    let taps: Int
    /// The number of filters for the positions of output frames between two input frames, as a power of two. In an exact conversion only as many of
    /// the filters are made as the ratio has phases.
    let phaseShift: Int
    /// Whether each output frame has the filter of its exact position. Otherwise two filters are interpolated.
    let isExact: Bool
    /// Whether the resampler computes in double precision, because the rounding of a sum of thousands of products in single precision is measurable.
    let isDouble: Bool
    /// The middle of the transition as a fraction of half the output's rate, as libswresample takes it. If it were above half the input's rate,
    /// libswresample would reduce it to that half only, and images of tones in the transition would remain.
    let cutoff: Double
    /// The number of input frames that the filter of one output frame uses.
    let length: Int

    /// The maximum of `length` for the usual number of taps.
    private static let maximumLength = 1 << 16
    /// The maximum size of the filters of an exact conversion, in samples. All pairs of usual rates need less.
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
        // For the interpolation, 2048 filters are enough for 138 dB. A filter of a lower rate changes more slowly, so fewer are enough, and the memory
        // of all filters together does not grow with the ratio.
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
