public import PlaybackEngine

extension AVPlayer {
    /// Observable, and not Apple's.
    func setting<Value>(_ key: StateKey, _ path: KeyPath<EngineSettings, Value>) -> Value {
        hub.access(key)
        return engine.settings[keyPath: path]
    }

    /// Observable, and not Apple's. An equal value is no change.
    func change<Value: Equatable>(_ key: StateKey, _ path: WritableKeyPath<EngineSettings, Value>, to new: Value) {
        demandMainQueue()
        guard new != engine.settings[keyPath: path] else { return }
        configure(key) { $0[keyPath: path] = new }
    }
}

extension AVPlayer {
    /// For each output; by default `OutputRate.automatic`. Observable. Not Apple's, whose `AVAudioSession.setPreferredSampleRate(_:)` asks for one
    /// rate. A change is heard at once; at another rate of the open output with a cut, and the position is kept (R-LNX-47).
    public var outputRates: OutputRates {
        get { setting(.outputRates, \.outputRates) }
        set { change(.outputRates, \.outputRates, to: newValue) }
    }
}

extension AVPlayer {
    /// By ReplayGain or R128 tags; off by default. Observable. Not in Apple's API. Without tags a medium is unchanged, and no peak is amplified beyond full
    /// scale (`LoudnessTags`). A change is a ramp of 40 ms; between items it is exactly at the first frame. `volume` is applied in addition.
    public var loudnessNormalization: LoudnessMode {
        get { setting(.loudnessNormalization, \.loudness) }
        set { change(.loudnessNormalization, \.loudness, to: newValue) }
    }
}

extension AVPlayer {
    /// Keeps samples below full scale by a constant gain for each item, never a limiter; `off` by default. A change is a ramp of 40 ms. Not in Apple's API.
    public var headroom: Headroom {
        get { setting(.headroom, \.headroom) }
        set { change(.headroom, \.headroom, to: newValue) }
    }
}

/// Called by the audio session.
extension AVPlayer {
    func follow(role new: StreamRole, isSilenced: Bool) {
        configure { settings in
            settings.role = new
            settings.isMuted = engine.mute(bySession: isSilenced)
        }
    }
}
