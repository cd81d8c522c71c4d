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

/// How audio begins that does not follow the audio before it.
enum Jump {
    /// At the start of an item: untouched, from its first frame.
    case atStart
    /// Inside an item: with a lead-in.
    case inside
}

/// Audio in the ring whose first 5 ms are incomplete.
struct Joint {
    /// The first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` await a lead-in; otherwise the new audio itself is blended with the old.
    let hasLeadIn: Bool
    let old: OldAudio
}

/// A copy of the first frames that were taken back from the device.
struct OldAudio {
    var start: Int64 = 0
    var samples: [Float] = []
    var channelCount = 1

    /// The number of frames known from `frame` on.
    func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
    func sample(_ frame: Int64, _ channel: Int) -> Float {
        let index = Int(frame - start) * channelCount + channel
        return samples.indices.contains(index) ? samples[index] : 0
    }
}
