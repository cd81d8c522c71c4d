/// A splice: the frames from number `start` on were withdrawn from a held device (`AudioSink.hold`), and other frames are to replace them.
struct Splice {
    /// The replacement of the withdrawn frames, which is kept so that it can be repeated if the device was faster.
    enum Replacement {
        /// There is no replacement yet.
        case nothing
        /// The withdrawn audio, which fades out for a pause.
        case pause
        /// Audio from another position. `opening` is that position, in media frames, if it is known; `mark` is the track's cursor before the jump.
        case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Track.Mark)
        /// The withdrawn audio, rendered again. The associated value is the timeline before the withdrawal.
        case again(Timeline)
    }
    /// The number of the first frame that may be replaced.
    let start: Int64
    var replacement: Replacement
    /// The number of the frame from which on the device receives no frames, because a fade-out ends there; nil if audio follows.
    var fadeEnd: Int64?
}

/// A splice that has to be repeated from a later frame, because the device was faster and has played withdrawn frames.
struct LateSplice {
    /// The number of the first frame of the former attempt.
    let formerStart: Int64
    /// The number of the first frame of the next attempt.
    let start: Int64
    let replacement: Splice.Replacement
}
