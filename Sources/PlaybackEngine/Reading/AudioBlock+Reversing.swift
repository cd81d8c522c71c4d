extension AudioBlock {
    /// Makes a block of interleaved samples in the reverse order of frames.
    ///
    /// - Parameter position: the media position of the first frame of `samples`, in frames.
    convenience init(reversing samples: [Float], position: Int64, channelCount: Int) {
        let frames = samples.count / channelCount
        self.init(position: position, frameCount: frames, channelCount: channelCount) { buffer in
            for frame in 0..<frames {
                for channel in 0..<channelCount { buffer[frame * channelCount + channel] = samples[(frames - 1 - frame) * channelCount + channel] }
            }
        }
    }
}
