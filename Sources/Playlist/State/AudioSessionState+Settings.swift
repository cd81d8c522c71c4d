extension AudioSessionState {
    /// The categories of an audio session that plays.
    public enum Category: String, Sendable, Hashable, CaseIterable {
        case ambient, soloAmbient, playback
    }

    /// The modes of an audio session that plays.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        case `default`, measurement, moviePlayback, spokenAudio, voicePrompt
    }

    /// The options of an audio session that plays.
    public enum Option: String, Sendable, Hashable, CaseIterable {
        case mixWithOthers, duckOthers, interruptSpokenAudioAndMixWithOthers, allowBluetoothA2DP, allowAirPlay
    }
}
