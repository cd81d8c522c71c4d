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
