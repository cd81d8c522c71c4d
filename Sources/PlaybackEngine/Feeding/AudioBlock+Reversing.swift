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

extension AudioReader {
    /// Seeks to the media position `begin`, and reads the frames up to the position `end`, both in frames of the output format.
    ///
    /// - Returns: `samples`: the interleaved samples from `begin` to `end`. `reached`: the position up to which audio was read, before `end` only if
    ///   the medium ends; the samples after it are silent.
    func samples(from begin: Int64, to end: Int64, channelCount channels: Int) throws(PlaybackError) -> (samples: [Float], reached: Int64) {
        var samples = [Float](repeating: 0, count: Int(end - begin) * channels)
        var at = try seek(to: begin, allowsEstimate: isPositionEstimated)
        while at < end, let block = try read() {
            let first = Int(max(0, begin - block.position))
            let last = Int(min(Int64(block.frameCount), end - block.position))
            if first < last, block.channelCount == channels {
                let target = (Int(block.position - begin) + first) * channels
                let part = block.samples[(first * channels)..<(last * channels)]
                samples.replaceSubrange(target..<(target + part.count), with: part)
            }
            at = block.end
        }
        return (samples, at)
    }
}
