/// A splice: the frames from number `start` on were withdrawn from a held device (`AudioSink.hold`), and other frames are to replace them.
struct Splice {
    /// The replacement of the withdrawn frames, which is kept so that the replacement can be repeated if the device has played withdrawn frames.
    enum Replacement {
        /// No replacement for the withdrawn frames is known yet.
        case nothing
        /// The withdrawn audio, which fades out for a pause.
        case pause
        /// The replacement is audio from another position. `opening` is the item and the media position of the new audio, in frames, nil if not known
        /// yet; `mark` is the track's cursor before the jump.
        case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Track.Mark)
        /// The withdrawn audio, rendered again. The associated value is the timeline before the frames were withdrawn.
        case again(Timeline)
    }
    /// The number of the first withdrawn frame, which may be replaced.
    let start: Int64
    var replacement: Replacement
    /// The number of the frame from which on the device receives no frames, because a fade-out ends there; nil if audio follows.
    var fadeEnd: Int64?
}

/// A splice that has to be repeated from a later frame, because the device has played withdrawn frames in the meantime.
struct LateSplice {
    /// The number of the first frame of the former attempt to replace frames.
    let formerStart: Int64
    /// The number of the first frame of the next attempt to replace frames.
    let start: Int64
    let replacement: Splice.Replacement
}
