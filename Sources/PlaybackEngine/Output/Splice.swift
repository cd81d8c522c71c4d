/// A cut in the audio of a held device: the frames from `start` on were withdrawn, and other frames are to replace them.
struct Splice {
    /// The replacement. It is kept so that it can be repeated if the device was faster.
    enum Replacement {
        /// Nothing, for now.
        case nothing
        /// The same audio, faded out.
        case pause
        /// Audio from another position. `opening` is that position if it is known; `mark` is the track's cursor before the jump.
        case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Track.Mark)
        /// The same audio, rendered again; with the timeline before the cut.
        case again(Timeline)
    }
    /// The first frame that may be replaced.
    let start: Int64
    var replacement: Replacement
    /// The frame from which on the device receives no frames; nil if audio follows.
    var fadeEnd: Int64?
}

/// A splice that has to be repeated from a later frame, because the device was faster.
struct LateSplice {
    /// The first frame of the former attempt.
    let formerStart: Int64
    /// The first frame of the next attempt.
    let start: Int64
    let replacement: Splice.Replacement
}
