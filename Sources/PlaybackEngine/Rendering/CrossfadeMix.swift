/// The mix of two items: the end of one fades out while the beginning of the next fades in, at equal power.
enum CrossfadeMix {
    /// Mixes two stretches of audio; nil if the outgoing or the incoming audio does not have `frames` frames.
    /// - Parameters:
    ///   - gain: The gain of the outgoing audio: preserves its loudness, although the mix is rendered as a part of the next item.
    ///   - position: The media position in the next item at which the mix begins, in frames.
    static func mix(_ outgoing: [AudioBlock], into incoming: [AudioBlock], frames: Int, gain: Float, at position: Int64) -> AudioBlock? {
        let (former, latter) = (outgoing.flatMap { Array($0.samples) }, incoming.flatMap { Array($0.samples) })
        let channels = incoming.first?.channelCount ?? 1
        guard former.count == latter.count, latter.count == frames * channels else { return nil }
        return AudioBlock(position: position, frameCount: frames, channelCount: channels) { buffer in
            for frame in 0..<frames {
                let angle = Double.pi / 2 * (Double(frame) + 0.5) / Double(frames)
                let (up, down) = (Float(sine(angle)), Float(sine(Double.pi / 2 - angle)) * gain)
                for sample in (frame * channels)..<((frame + 1) * channels) { buffer[sample] = former[sample] * down + latter[sample] * up }
            }
        }
    }

    /// The sine of an angle up to a quarter turn, without the C library: the Taylor series is exact to the last bit of a Float.
    private static func sine(_ angle: Double) -> Double {
        var (term, sum) = (angle, angle)
        for order in stride(from: 2.0, through: 16, by: 2) {
            term *= -angle * angle / (order * (order + 1))
            sum += term
        }
        return sum
    }
}
