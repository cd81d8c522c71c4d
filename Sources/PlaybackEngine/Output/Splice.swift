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

/// The point in the ring at which new audio follows old audio, before the transition between the old and the new audio is computed.
struct Joint {
    /// The number of the first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` are reserved for a lead-in (the fade-in before the new audio). Without a lead-in, the new audio itself is
    /// mixed with the old audio.
    let hasLeadIn: Bool
    let old: OldAudio
    /// The number of frames of the transition.
    let frames: Int
}

/// A copy of the first frames that were withdrawn from the device before it played them. If the withdrawn audio is cut off, the copy is faded out.
struct OldAudio {
    var start: Int64 = 0
    var samples: [Float] = []
    var channelCount = 1

    /// Returns how many of the copied frames have a number of at least `frame`.
    func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
    func sample(_ frame: Int64, _ channel: Int) -> Float {
        let index = Int(frame - start) * channelCount + channel
        return samples.indices.contains(index) ? samples[index] : 0
    }
}

/// A jump: new audio that does not continue the preceding audio. Whether the new audio needs a lead-in depends on its position in the item.
enum Jump {
    /// The new audio begins at the start of an item, and is unchanged from the first frame on.
    case atStart
    /// The new audio begins inside an item. A lead-in (a fade-in of 5 ms) precedes the new audio (`OutputStage`).
    case inside
}
