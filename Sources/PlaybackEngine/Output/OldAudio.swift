/// A copy of the first frames that were withdrawn from the device before it played them. If the withdrawn audio is cut off, the copy is faded out.
struct OldAudio {
    var start: Int64 = 0
    var samples: [Float] = []
    var channelCount = 1

    /// Returns how many of the copied frames have a number of at least `frame`.
    func count(from frame: Int64) -> Int { max(0, samples.count / channelCount - Int(frame - start)) }
    func sample(_ frame: Int64, _ channel: Int) -> Float {
        let index = Int(frame - start) * channelCount + channel
        return samples.indices.contains(index) ? samples[index] : 0
    }
}
