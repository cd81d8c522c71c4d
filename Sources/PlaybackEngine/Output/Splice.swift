/// A splice: the frames from number `start` on were withdrawn from a held device (`AudioSink.hold`), and other frames are to replace them.
struct Splice {
    /// The replacement of the withdrawn frames. The replacement is kept, because it has to be repeated if the device has played withdrawn frames in
    /// the meantime.
    enum Replacement {
        /// No replacement for the withdrawn frames is known yet.
        case nothing
        /// The withdrawn audio, which fades out for a pause.
        case pause
        /// The replacement is audio from another position. `opening` is the item of the new audio and the media position of its first frame; nil if
        /// not known yet. `mark` is the position of the track's cursor, at the start of the new audio.
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
    /// The number of the first frame that the former attempt had to replace.
    let formerStart: Int64
    /// The number of the first frame that the next attempt has to replace.
    let start: Int64
    let replacement: Splice.Replacement
}
