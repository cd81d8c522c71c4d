extension AudioFormat {
    /// The sample rates, in frames per second, that all parts of the engine support.
    public static let playableRates = 4000...384_000

    /// Returns the format nearest to `self` that all parts of the engine support. If the device has at least two speakers, the returned format has at
    /// most as many channels as the device has speakers.
    ///
    /// The feeder converts to the device's sample rate, because a sound server converts with a cheaper filter. The feeder also mixes the channels
    /// that have no speaker into the other channels, because a sound server may almost discard such channels. If the device has only one speaker, the
    /// sound server mixes down instead of the feeder, so that the mixing ends if the stream is moved to a device with more speakers.
    ///
    /// - Parameters:
    ///   - speakers: the channels that the open device can play; nil if no device is open, or if the device accepts any channels.
    ///   - deviceRate: the sample rate of the open device; nil if no device is open, or if the device accepts any rate.
    func playable(on speakers: ChannelLayout?, at deviceRate: Int?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count {
            // A down-mix requires a front pair. If the device has no front pair, the default layout for its number of speakers is used.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        let rate = deviceRate ?? sampleRate
        return AudioFormat(sampleRate: Self.playableRates.contains(rate) ? rate : 48_000, channelLayout: layout)
    }
}

extension AudioSink {
    /// The sample rate of the open device; nil if the device has no rate of its own, or states one that the engine does not support.
    var playableRate: Int? { sampleRate.flatMap { AudioFormat.playableRates.contains($0) ? $0 : nil } }
}
