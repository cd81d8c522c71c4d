/// The mix of the end of an item with the beginning of the next: the one fades out while the other fades in, at equal power. Pure.
enum Crossfade {
    /// Mixes `frames` frames of both.
    ///
    /// - Parameters:
    ///   - gain: the factor for the outgoing audio, which gives it its own loudness although it is rendered as a part of the next item.
    ///   - position: the position of the mix in the next item.
    /// - Returns: nil if either has another number of frames.
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

    /// The sine, without the C library: a Taylor series is exact to the last bit of a Float between 0 and a quarter turn.
    private static func sine(_ angle: Double) -> Double {
        var (term, sum) = (angle, angle)
        for order in stride(from: 2.0, through: 16, by: 2) {
            term *= -angle * angle / (order * (order + 1))
            sum += term
        }
        return sum
    }
}
