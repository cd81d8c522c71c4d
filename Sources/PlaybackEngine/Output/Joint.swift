/// Audio in the ring whose first 5 ms are incomplete.
struct Joint {
    /// The first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` are reserved for a lead-in. Otherwise the new audio itself is mixed with the old.
    let hasLeadIn: Bool
    let old: OldAudio
}
