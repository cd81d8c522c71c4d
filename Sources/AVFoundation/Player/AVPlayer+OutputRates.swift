public import PlaybackEngine

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
