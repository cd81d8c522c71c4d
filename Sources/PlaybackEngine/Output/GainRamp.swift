/// A gain that changes over 5 ms, so that a change is not audible as a click. At a gain of 1 the samples are unchanged.
struct GainRamp {
    private static let seconds = 0.005

    private let channelCount: Int
    private let rampFrames: Int
    private var gain: Float
    private var step: Float = 0
    private var left = 0
    /// The gain at the end of the ramp, 0…1.
    var target: Float {
        didSet {
            guard target != oldValue else { return }
            left = rampFrames
            step = (target - gain) / Float(rampFrames)
        }
    }

    init(gain: Float, sampleRate: Int, channelCount: Int) {
        self.gain = gain
        target = gain
        self.channelCount = channelCount
        rampFrames = max(1, Int(Double(sampleRate) * Self.seconds))
    }

    /// Multiplies interleaved samples by the gain, frame by frame.
    mutating func apply(to samples: UnsafeMutableBufferPointer<Float>) {
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
