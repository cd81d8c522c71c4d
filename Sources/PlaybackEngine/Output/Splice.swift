/// A cut in the audio of a held device: frames from `start` on were taken back, and other frames are to replace them.
struct Splice {
    /// What replaces the frames. Kept so that it can be put in place again if the device was quicker.
    enum Replacement {
        /// Nothing, for now.
        case nothing
        /// The same audio, faded out.
        case pause
        /// Audio from another position; `opening` if that position is known, `mark` where the track stood.
        case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Track.Mark)
        /// The same audio, rendered again; the timeline before the cut.
        case again(Timeline)
    }
    /// The first frame that may be replaced.
    let start: Int64
    var replacement: Replacement
    /// The device gets nothing from this frame on; nil if audio follows.
    var fadeEnd: Int64?
}

/// A splice for which the device was too quick: it is to be repeated from a later frame.
struct LateSplice {
    /// The frame at which it was made before.
    let formerStart: Int64
    /// The frame at which it is made now.
    let start: Int64
    let replacement: Splice.Replacement
}
