/// A gain that changes linearly over 40 ms, so that no step is heard. At a gain of 1 the samples are unchanged.
package struct GainRamp {
    /// The duration of the ramp: long enough that its ends are not audible, and short enough that a volume control seems to act at once.
    package static let seconds = 0.04

    private let channelCount: Int
    private let rampFrames: Int
    private var gain: Float
    private var step: Float = 0
    private var left = 0
    /// The gain at the end of the ramp, 0…1.
    private(set) var target: Float

    package init(gain: Float, sampleRate: Int, channelCount: Int) {
        self.gain = gain
        target = gain
        self.channelCount = channelCount
        rampFrames = max(1, Int(Double(sampleRate) * Self.seconds))
    }

    package mutating func approach(_ new: Float) {
        guard new != target else { return }
        target = new
        left = rampFrames
        step = (target - gain) / Float(rampFrames)
    }

    /// Sets the gain without a ramp, while nothing is heard.
    package mutating func jump(to new: Float) { (target, gain, left) = (new, new, 0) }

    /// Applies the gain to interleaved samples.
    package mutating func apply(to samples: UnsafeMutableBufferPointer<Float>) {
        var index = 0
        while left > 0, index < samples.count {
            left -= 1
            gain = left == 0 ? target : gain + step
            for channel in index..<min(index + channelCount, samples.count) { samples[channel] *= gain }
            index += channelCount
        }
        guard gain != 1 else { return }
        while index < samples.count {
            samples[index] *= gain
            index += 1
        }
    }
}
