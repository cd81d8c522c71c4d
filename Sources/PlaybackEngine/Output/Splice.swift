/// A replacement of frames: those from `start` on were withdrawn from a held device (`AudioSink.hold`), and others are to follow.
struct Splice {
    /// The audio that replaces the frames, stored because it has to be repeated if the device has played withdrawn frames.
    enum Replacement {
        case nothing
        /// The withdrawn audio, fading out.
        case pause
        /// Audio from another position: `opening` is its item and first media position, `mark` the tape's cursor at its start.
        case jump(Jump, opening: (item: ItemID, media: Double)?, mark: Tape.Mark)
        /// The withdrawn audio, rendered again; the value is the timeline before the withdrawal.
        case again(Timeline)
    }
    /// The first withdrawn frame.
    let start: Int64
    var replacement: Replacement
    /// The frame from which on the device receives nothing; nil if audio follows.
    var fadeEnd: Int64?
}

/// A replacement that has to be repeated from a later frame, because the device has played withdrawn frames.
struct LateSplice {
    let formerStart: Int64
    let start: Int64
    let replacement: Splice.Replacement
}

/// The joint of old and new audio, before the transition is computed.
struct Joint {
    /// The first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` are reserved for a lead-in; otherwise the new audio itself is mixed.
    let hasLeadIn: Bool
    let old: OldAudio
    let frames: Int
}

/// The first withdrawn frames, for a fade-out.
struct OldAudio {
    var start: Int64 = 0
    var samples: [Float] = []
    var channelCount = 1

    /// The number of frames whose numbers are at least `frame`.
    func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
    func sample(_ frame: Int64, _ channel: Int) -> Float {
        let index = Int(frame - start) * channelCount + channel
        return samples.indices.contains(index) ? samples[index] : 0
    }
}

/// New audio that does not continue the preceding audio.
enum Jump {
    /// The start of an item, unchanged from the first frame on.
    case atStart
    /// A position inside an item, after a lead-in of 5 ms (`OutputStage`).
    case inside
}
