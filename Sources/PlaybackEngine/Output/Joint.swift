/// A joint of old and new audio in the ring, of which the first 5 ms are not mixed yet.
struct Joint {
    /// The number of the first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` are reserved for a lead-in (the fade-in before the new audio). Without a lead-in, the new audio itself is
    /// mixed with the old audio.
    let hasLeadIn: Bool
    let old: OldAudio
}
