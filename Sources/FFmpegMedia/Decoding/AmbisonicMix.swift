import CFFmpeg

/// The mix of Ambisonics to stereo, by the matrices that RFC 8486 gives for that. The first channels describe the sound field (W, Y, Z, X, …), so
/// none of them is a speaker's. Two more may follow, which are the left and the right channel of other audio.
struct AmbisonicMix {
    private let channelCount: Int
    private let hasStereo: Bool

    /// Nil if the frame has other channels.
    init?(_ frame: UnsafePointer<AVFrame>) {
        let layout = frame.pointee.ch_layout
        guard layout.order == AV_CHANNEL_ORDER_AMBISONIC, layout.nb_channels > 0 else { return nil }
        channelCount = Int(layout.nb_channels)
        hasStereo = layout.u.mask == 3 && channelCount > 2
    }

    /// Converts the frames `first ..< first + count` to interleaved stereo.
    func convert(_ frame: UnsafePointer<AVFrame>, first: Int, count: Int, into output: UnsafeMutablePointer<Float>) {
        let share: Float = hasStereo ? 0.25 : 0.5
        withUnsafeTemporaryAllocation(of: Float.self, capacity: count * channelCount) { samples in
            guard let base = samples.baseAddress else { return }
            SampleConverter.convertChannels(frame, first: first, count: count, channels: channelCount, into: base)
            for index in 0..<count {
                let field = base + index * channelCount
                let middle = field[0] * share, side = channelCount > 1 ? field[1] * share : 0
                output[2 * index] = middle + side
                output[2 * index + 1] = middle - side
                if hasStereo {
                    output[2 * index] += field[channelCount - 2] / 2
                    output[2 * index + 1] += field[channelCount - 1] / 2
                }
            }
        }
    }
}
