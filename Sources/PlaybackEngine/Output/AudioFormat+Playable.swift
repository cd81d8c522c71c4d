extension AudioFormat {
    /// In frames per second, for all parts of the engine.
    public static let playableRates = 4000...384_000

    /// The nearest format that all parts of the engine support, with at most as many channels as the device has speakers, if at least two.
    ///
    /// The feeder converts, because a sound server has a cheaper filter, and may almost discard channels without a speaker. For one speaker the
    /// server mixes down, so that it ends if the stream is moved to a device with more. Parameters are nil if no device is open, or if it accepts
    /// any.
    func playable(on speakers: ChannelLayout?, at deviceRate: Int?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count {
            // A down-mix requires a front pair.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        let rate = deviceRate ?? sampleRate
        return AudioFormat(sampleRate: Self.playableRates.contains(rate) ? rate : 48_000, channelLayout: layout)
    }
}

extension AudioSink {
    /// Nil if the device has none of its own, or one that the engine does not support.
    var playableRate: Int? { sampleRate.flatMap { AudioFormat.playableRates.contains($0) ? $0 : nil } }
}
