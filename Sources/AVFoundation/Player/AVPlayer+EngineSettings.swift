public import PlaybackEngine

extension AVPlayer {
    /// Reads a setting that is observable, and not in Apple's API.
    nonisolated func setting<Value: Sendable>(_ key: StateKey, _ path: any KeyPath<EngineSettings, Value> & Sendable) -> Value {
        read(key) { engine.settings[keyPath: path] }
    }

    /// Changes a setting that is observable, and not in Apple's API. An equal value is no change.
    nonisolated func change<Value: Equatable & Sendable>(
        _ key: StateKey, _ path: any WritableKeyPath<EngineSettings, Value> & Sendable, to new: Value
    ) {
        turn {
            guard new != engine.settings[keyPath: path] else { return }
            configure(key) { $0[keyPath: path] = new }
        }
    }
}

extension AVPlayer {
    /// The sample rate for each output; by default `OutputRate.automatic`. Observable. Not in Apple's API, where
    /// `AVAudioSession.setPreferredSampleRate(_:)` asks for one rate. A change is heard at once; if the open output gets another rate, the audio is
    /// cut, and the position is kept (R-LNX-47).
    public nonisolated var outputRates: OutputRates {
        get { setting(.outputRates, \.outputRates) }
        set { change(.outputRates, \.outputRates, to: newValue) }
    }
}

extension AVPlayer {
    /// The normalization by ReplayGain or R128 tags; off by default. Observable. Not in Apple's API. A medium without tags is unchanged, and no peak
    /// is amplified beyond full scale (`LoudnessTags`). A change is a ramp of 40 ms; between items it is exactly at the first frame. `volume` is
    /// applied in addition.
    public nonisolated var loudnessNormalization: LoudnessMode {
        get { setting(.loudnessNormalization, \.loudness) }
        set { change(.loudnessNormalization, \.loudness, to: newValue) }
    }
}

extension AVPlayer {
    /// Whether samples are kept below full scale, by a constant gain for each item, never a limiter; `off` by default. A change is a ramp of 40 ms.
    /// Not in Apple's API.
    public nonisolated var headroom: Headroom {
        get { setting(.headroom, \.headroom) }
        set { change(.headroom, \.headroom, to: newValue) }
    }
}

/// The functions that the audio session calls.
extension AVPlayer {
    @Turn func follow(role new: StreamRole, isSilenced: Bool) {
        configure { settings in
            settings.role = new
            settings.isMuted = engine.mute(bySession: isSilenced)
        }
    }
}
