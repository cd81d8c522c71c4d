/// A bound for the level of the output, derived from the input.
///
/// After digital silence, Rubber Band's phases start at zero for all bins, as at the beginning. Broadband audio after the silence then yields single
/// samples of many times its level. In all other cases the output is less than twice as loud as the input.
struct PeakBound {
    private static let factor: Float = 2

    /// The number of input frames that may still contribute to the output.
    private let span: Int
    /// The peak of the present span, and of the preceding one.
    private var present: Float = 0
    private var before: Float = 0
    private var taken = 0

    init(span: Int) { self.span = max(1, span) }

    /// The upper bound of the output samples.
    var limit: Float { Self.factor * max(present, before) }

    /// Adds input frames with the given peak.
    mutating func take(_ peak: Float, frames: Int) {
        present = max(present, peak)
        taken += frames
        guard taken >= span else { return }
        (before, present, taken) = (present, 0, 0)
    }
}
