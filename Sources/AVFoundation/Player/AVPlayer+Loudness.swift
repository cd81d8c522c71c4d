public import PlaybackEngine

extension AVPlayer {
    /// Whether media are played equally loud, by what their ReplayGain or R128 tags say; off at first. Observable. Not in Apple's vocabulary.
    ///
    /// A medium without such tags is played as it was recorded, and none is made so loud that its peak leaves full scale (`LoudnessTags`). A change is
    /// heard at once, in a cross-fade of 5 ms; between items the loudness changes at the joint. `volume` counts on top of it.
    public var loudnessNormalization: LoudnessMode {
        get {
            hub.access(.loudnessNormalization)
            return settings.loudness
        }
        set {
            demandMainQueue()
            guard newValue != settings.loudness else { return }
            configure(.loudnessNormalization) { $0.loudness = newValue }
        }
    }
}
