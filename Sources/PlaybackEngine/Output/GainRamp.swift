/// A gain that changes linearly over 40 ms, so that no step is heard. At a gain of 1 the samples are unchanged.
package struct GainRamp {
    /// The duration of the ramp: long enough that the kinks are not audible, and short enough that a volume control does not lag behind the finger.
    package static let seconds = 0.04

    private let channelCount: Int
    private let rampFrames: Int
    private var gain: Float
    private var step: Float = 0
    private var left = 0
    /// The gain at the end of the ramp, 0…1.
    private(set) var target: Float

    init(gain: Float, sampleRate: Int, channelCount: Int) {
        self.gain = gain
        target = gain
        self.channelCount = channelCount
        rampFrames = max(1, Int(Double(sampleRate) * Self.seconds))
    }

    mutating func approach(_ new: Float) {
        guard new != target else { return }
        target = new
        left = rampFrames
        step = (target - gain) / Float(rampFrames)
    }

    /// Sets the gain without a ramp, while nothing is heard.
    mutating func jump(to new: Float) { (target, gain, left) = (new, new, 0) }

    /// Applies the gain to interleaved samples.
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

/// The ramps between old and new audio, written before the frames are published to the device.
extension RenderRing {
    /// The weight of the new audio; never 0 or 1, because then a frame would have no part of one of them.
    private static func fadeIn(_ index: Int, of count: Int) -> Float { (Float(index) + 0.5) / Float(count) }

    /// Appends the old audio, fading out over `ramp` frames.
    func append(_ count: Int, of old: OldAudio, fadingOutOver ramp: Int) {
        let start = endFrame
        reserve(count)
        for offset in 0..<count {
            let samples = pointer(to: start + Int64(offset))
            for channel in 0..<channelCount {
                samples[channel] = old.sample(start + Int64(offset), channel) * (1 - Self.fadeIn(offset, of: ramp))
            }
        }
    }

    /// Fades out unpublished frames.
    func fadeOut(from frame: Int64, count: Int, over ramp: Int) { scale(from: frame, count: count) { 1 - Self.fadeIn($0, of: ramp) } }

    /// Writes the old audio again, up to its end.
    func restore(_ old: OldAudio, from frame: Int64) {
        for frame in frame..<(frame + Int64(old.count(from: frame))) {
            for channel in 0..<channelCount { pointer(to: frame)[channel] = old.sample(frame, channel) }
        }
    }

    /// Mixes the old and the new audio at a joint; `ready` is the number of new frames in the ring.
    func complete(_ joint: Joint, ready: Int) {
        let ramp = joint.frames
        for offset in 0..<ramp {
            if joint.hasLeadIn {
                let samples = pointer(to: joint.start - Int64(ramp - offset))
                let mirrored = pointer(to: joint.start + Int64(min(ramp - offset, ready - 1)))
                for channel in 0..<channelCount { samples[channel] += mirrored[channel] * Self.fadeIn(offset, of: ramp) }
            } else if offset < ready {
                let frame = joint.start + Int64(offset)
                let samples = pointer(to: frame)
                for channel in 0..<channelCount {
                    // By this formula, the sum of two equal samples is the same sample, to the last bit.
                    let old = joint.old.sample(frame, channel)
                    samples[channel] = old + (samples[channel] - old) * Self.fadeIn(offset, of: ramp)
                }
            }
        }
    }
}
