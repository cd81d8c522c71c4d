/// Multiplies sound by a gain that changes between items at once, and within one by a short glide. Pure.
struct GainStage {
    private(set) var gain: Float = 1
    /// The way to the gain: from which, over how many frames, and how many of them are done.
    private var way: (from: Float, length: Int, done: Int)?

    /// Whether sound comes out otherwise than it goes in.
    var isActive: Bool { gain != 1 || way != nil }

    /// Another gain from the next frame on; the same one is no change, and a glide to it goes on.
    mutating func set(_ gain: Float) {
        guard gain != self.gain else { return }
        self.gain = gain
        way = nil
    }

    /// Comes to the gain from another over the next `frames` frames.
    mutating func glide(from former: Float, frames: Int) {
        if former != gain, frames > 0 { way = (former, frames, 0) }
    }

    /// The next sound has nothing to do with the last.
    mutating func endGlide() { way = nil }

    /// Writes the next `frames` frames with their gain, and stays where it is.
    func apply(_ input: UnsafePointer<Float>, to output: UnsafeMutableBufferPointer<Float>, frames: Int, channelCount: Int) {
        var done = 0
        if let way {
            let count = min(frames, way.length - way.done)
            for frame in 0..<count {
                let part = Float(way.done + frame + 1) / Float(way.length)
                let factor = way.from + (gain - way.from) * part
                for sample in (frame * channelCount)..<((frame + 1) * channelCount) { output[sample] = input[sample] * factor }
            }
            done = count
        }
        for sample in (done * channelCount)..<(frames * channelCount) { output[sample] = input[sample] * gain }
    }

    /// So many frames have been taken.
    mutating func advance(_ frames: Int) {
        guard let way else { return }
        self.way = way.done + frames < way.length ? (way.from, way.length, way.done + frames) : nil
    }
}
