/// The ramps between old and new audio, written before the frames are published to the device.
extension RenderRing {
    /// The weight of the new audio at frame `index` of a fade of `count` frames; never 0 or 1, so that each frame has a part of both.
    private static func fadeIn(_ index: Int, of count: Int) -> Float { (Float(index) + 0.5) / Float(count) }

    /// Appends `count` frames of the old audio, which fade out over `ramp` frames.
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
                    // By this formula, the mix of two equal samples is the same sample, to the last bit.
                    let old = joint.old.sample(frame, channel)
                    samples[channel] = old + (samples[channel] - old) * Self.fadeIn(offset, of: ramp)
                }
            }
        }
    }
}
