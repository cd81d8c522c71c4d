public import PlaybackEngine

extension AVPlayer {
    /// Returns the value of an observable setting that Apple's API does not have.
    func setting<Value>(_ key: StateKey, _ path: KeyPath<EngineSettings, Value>) -> Value {
        hub.access(key)
        return engine.settings[keyPath: path]
    }

    /// Sets an observable engine setting that Apple's API does not have, and notifies the observers of `key`. Does nothing if the setting already has
    /// the value.
    func change<Value: Equatable>(_ key: StateKey, _ path: WritableKeyPath<EngineSettings, Value>, to new: Value) {
        demandMainQueue()
        guard new != engine.settings[keyPath: path] else { return }
        configure(key) { $0[keyPath: path] = new }
    }
}

extension AVPlayer {
    /// The choice of the sample rate for each output; by default `OutputRate.automatic` for all. `outputRates` is observable. Apple's API has no
    /// property `outputRates`; its counterpart, `AVAudioSession.setPreferredSampleRate(_:)`, asks for one rate.
    ///
    /// A change is heard at once. If the rate of the open output changes, there is a cut in the audio; the position is kept (R-LNX-47).
    public var outputRates: OutputRates {
        get { setting(.outputRates, \.outputRates) }
        set { change(.outputRates, \.outputRates, to: newValue) }
    }
}

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
