public import PlaybackEngine

extension AVPlayer {
    /// Whether the loudness of media is normalized by their ReplayGain or R128 tags; off by default. `loudnessNormalization` is observable. Apple's
    /// API has no property `loudnessNormalization`.
    ///
    /// A medium without ReplayGain or R128 tags is played unchanged. No medium is amplified so far that its peak exceeds full scale (`LoudnessTags`).
    /// A change of the loudness normalization is heard immediately, with a cross-fade of 5 ms. Between items the loudness changes exactly at the
    /// first frame of the next item. The gain of `volume` is applied in addition.
    public var loudnessNormalization: LoudnessMode {
        get {
            hub.access(.loudnessNormalization)
            return engine.settings.loudness
        }
        set {
            demandMainQueue()
            guard newValue != engine.settings.loudness else { return }
            configure(.loudnessNormalization) { $0.loudness = newValue }
        }
    }
}
