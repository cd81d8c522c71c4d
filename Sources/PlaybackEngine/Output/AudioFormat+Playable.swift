extension AudioFormat {
    /// Returns the format nearest to `self` that all parts of the engine support. If the device has at least two speakers, the returned format has at
    /// most as many channels as the device has speakers.
    ///
    /// The feeder mixes the channels that have no speaker into the other channels, because a sound server may almost discard such channels. If the
    /// device has only one speaker, the sound server mixes down instead of the feeder. The sound server stops mixing down if the stream is moved to a
    /// device with more speakers.
    ///
    /// - Parameter speakers: the channels that the open device can play; nil if no device is open, or if the device accepts any channels.
    func playable(on speakers: ChannelLayout?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count {
            // A down-mix requires a front pair. If the device has no front pair, the default layout for its number of speakers is used.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        return AudioFormat(sampleRate: (4000...384_000).contains(sampleRate) ? sampleRate : 48_000, channelLayout: layout)
    }
}
