/// An upper bound for the level of Rubber Band's output, derived from the input, to which the output is limited.
///
/// After digital silence, the phases of all frequency bins of Rubber Band start at zero, as at the start of the output. Broadband audio that follows
/// digital silence therefore produces single output samples that are many times louder than the audio. In all other cases, the output is less than
/// twice as loud as the input.
struct PeakBound {
    private static let factor: Float = 2

    /// The number of the latest input frames that may still contribute to the output.
    private let span: Int
    /// The peak level of the input in the present span of frames, and in the preceding span.
    private var present: Float = 0
    private var before: Float = 0
    private var taken = 0

    init(span: Int) { self.span = max(1, span) }

    /// The maximum magnitude that samples of Rubber Band's output may have.
    var limit: Float { Self.factor * max(present, before) }

    /// Records `frames` input frames, whose peak level is `peak`.
    mutating func take(_ peak: Float, frames: Int) {
        present = max(present, peak)
        taken += frames
        guard taken >= span else { return }
        (before, present, taken) = (present, 0, 0)
    }
}
