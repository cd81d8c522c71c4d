extension AudioFormat {
    /// The nearest format that every part of the engine takes and that has no more channels than the device has speakers.
    ///
    /// Channels without a speaker are mixed down in proportion by the feeder, because a sound server may leave next to nothing of them. A server mixes
    /// down to one channel well, and stops mixing when the stream is moved to a better device.
    ///
    /// - Parameter speakers: the speakers of the open device, nil if there is none or it takes any channels.
    func playable(on speakers: ChannelLayout?) -> AudioFormat {
        var layout = channelCount <= 8 ? channelLayout : .stereo
        if let speakers, speakers.count >= 2, speakers.count < layout.count {
            // Nothing can be mixed for speakers without a front pair.
            layout = speakers.hasFront ? speakers : ChannelLayout(count: speakers.count)
        }
        return AudioFormat(sampleRate: (4000...384_000).contains(sampleRate) ? sampleRate : 48_000, channelLayout: layout)
    }
}
