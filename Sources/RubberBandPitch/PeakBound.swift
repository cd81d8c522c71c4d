/// How loud what comes out can be, by what went in.
///
/// Behind a stretch of digital silence Rubber Band's phases begin at zero for all bins, as they do at the start: broad sound that sets in there comes
/// out as single samples of many times its level. Nothing else that it makes of a sound is twice as loud as the sound.
struct PeakBound {
    private static let factor: Float = 2

    /// Input frames that may still come out.
    private let span: Int
    /// The loudest sample of the present span, and of the one before.
    private var present: Float = 0
    private var before: Float = 0
    private var taken = 0

    init(span: Int) { self.span = max(1, span) }

    /// No sample is louder than this.
    var limit: Float { Self.factor * max(present, before) }

    /// Notes input frames, of which `peak` is the loudest sample.
    mutating func take(_ peak: Float, frames: Int) {
        present = max(present, peak)
        taken += frames
        guard taken >= span else { return }
        (before, present, taken) = (present, 0, 0)
    }
}
