public import PlaybackEngine

extension AVPlayer {
    /// Whether the loudness of media is normalized by their ReplayGain or R128 tags; off by default. `loudnessNormalization` is observable. Apple's
    /// API has no property `loudnessNormalization`.
    ///
    /// A medium without ReplayGain or R128 tags is played unchanged. No medium is amplified so far that its peak exceeds full scale (`LoudnessTags`).
    /// A change of the loudness normalization is heard immediately, with a ramp of 40 ms. Between items the loudness changes exactly at the
    /// first frame of the next item. The gain of `volume` is applied in addition.
    public var loudnessNormalization: LoudnessMode {
        get { setting(.loudnessNormalization, \.loudness) }
        set { change(.loudnessNormalization, \.loudness, to: newValue) }
    }
}

extension AVPlayer {
    /// The attenuation that keeps the samples of media below full scale; `off` by default. Apple's API has no property `headroom`.
    ///
    /// The attenuation is a constant gain for each item, known before the item is played; a limiter is never used. A change is heard immediately,
    /// with a ramp of 40 ms.
    public var headroom: Headroom {
        get { setting(.headroom, \.headroom) }
        set { change(.headroom, \.headroom, to: newValue) }
    }
}
