/// Audio in the ring whose first 5 ms are incomplete.
struct Joint {
    /// The first frame of the new audio.
    let start: Int64
    /// Whether the frames before `start` await a lead-in; otherwise the new audio itself is blended with the old.
    let hasLeadIn: Bool
    let old: OldAudio
}
