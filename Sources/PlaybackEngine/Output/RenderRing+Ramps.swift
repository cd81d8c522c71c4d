/// The ramps between old and new audio: fades of 5 ms, or of 40 ms to another gain. Ramps are written into the ring before its frames are published
/// to the device.
extension RenderRing {
    /// The weight of the new audio at frame `index` of a ramp of `count` frames; the old audio has the remaining weight. The weight is never 0 or 1,
    /// because then one frame of the ramp would have no part of the new audio, or no part of the old audio.
    private static func fadeIn(_ index: Int, of count: Int) -> Float { (Float(index) + 0.5) / Float(count) }

    /// Appends the first `count` frames of the old audio, which fades out over `ramp` frames.
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

    /// Fades out `count` unpublished frames of the ring, beginning with frame number `frame`, by a ramp of `ramp` frames.
    func fadeOut(from frame: Int64, count: Int, over ramp: Int) { scale(from: frame, count: count) { 1 - Self.fadeIn($0, of: ramp) } }

    /// Replaces the unpublished frames from `frame` on by the old audio, up to the end of the old audio.
    func restore(_ old: OldAudio, from frame: Int64) {
        for frame in frame..<(frame + Int64(old.count(from: frame))) {
            for channel in 0..<channelCount { pointer(to: frame)[channel] = old.sample(frame, channel) }
        }
    }

    /// Completes a joint of old and new audio. The parameter `ready` is the number of frames of the new audio that the ring contains.
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
                    // The weighted sum is written as old + weight · (new − old), so that the sum of two equal samples is the same sample, to the last
                    // bit.
                    let old = joint.old.sample(frame, channel)
                    samples[channel] = old + (samples[channel] - old) * Self.fadeIn(offset, of: ramp)
                }
            }
        }
    }
}
