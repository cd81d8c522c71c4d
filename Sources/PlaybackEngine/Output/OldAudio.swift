/// A copy of the first frames that were withdrawn from the device. The audio fades out with them.
struct OldAudio {
    var start: Int64 = 0
    var samples: [Float] = []
    var channelCount = 1

    /// Returns the number of copied frames from the frame with number `frame` on.
    func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
    func sample(_ frame: Int64, _ channel: Int) -> Float {
        let index = Int(frame - start) * channelCount + channel
        return samples.indices.contains(index) ? samples[index] : 0
    }
}
