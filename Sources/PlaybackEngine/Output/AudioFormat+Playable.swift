extension AudioFormat {
    /// Returns the nearest format that all parts of the engine support, with at most as many channels as the device has speakers.
    ///
    /// The feeder mixes down channels without a speaker, in proportion, because a sound server may almost discard them. For a device with one speaker
    /// the server mixes down: it does that well, and stops if the stream is moved to a device with more speakers.
    ///
    /// - Parameter speakers: the speakers of the open device, nil if there is none or it accepts any channels.
    func playable(on speakers: ChannelLayout?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count {
            // A down-mix requires a front pair. Without one, the default layout for that number of speakers is used.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        return AudioFormat(sampleRate: (4000...384_000).contains(sampleRate) ? sampleRate : 48_000, channelLayout: layout)
    }
}
