import Glibc
import PlaybackEngine

/// The mix of channels into those of another layout where libswresample has no good one: it refuses layouts without a front speaker or with one of a
/// pair, drops the channels above the listener, and reduces a mono channel by 3 dB.
///
/// Each channel goes to the speaker in the nearest direction, or in equal power to all that are equally near. A channel without a known speaker is in
/// front. As in libswresample, effects for low frequencies are heard only where a speaker for them exists, and the mix cannot clip.
struct ChannelMix {
    /// The factors of the input channels, one row for each output channel.
    private(set) var factors: [Double]

    /// Nil if libswresample mixes the channels itself.
    init?(from input: ChannelLayout, to output: ChannelLayout) {
        let isCopied = input.count == 1 && output == .stereo
        if input == output || !isCopied && ChannelMix.isCommon(input) && ChannelMix.isCommon(output) { return nil }
        factors = [Double](repeating: 0, count: input.count * output.count)
        let sources = ChannelMix.speakers(input), targets = ChannelMix.speakers(output)
        for (channel, source) in sources.enumerated() {
            let found = output.mask == 0 ? [channel % output.count] : ChannelMix.nearest(to: source, in: targets)
            let factor = input.count == 1 ? 1 : 1 / Double(max(1, found.count)).squareRoot()
            for target in found { factors[target * input.count + channel] = factor }
        }
        let loudest = (0..<output.count).map { row in factors[(row * input.count)..<((row + 1) * input.count)].reduce(0, +) }.max() ?? 0
        if loudest > 1 { factors = factors.map { $0 / loudest } }
    }

    /// Whether libswresample knows the layout: a front speaker, of each pair both or none, and nothing above the listener.
    private static func isCommon(_ layout: ChannelLayout) -> Bool {
        // The front, back, centre and side pairs; a single channel counts as the centre.
        let pairs: [UInt64] = [0x3, 0x30, 0xC0, 0x600]
        guard layout.mask != 0, layout.mask < 0x800 else { return false }
        return layout.count == 1 || layout.mask & 0x7 != 0 && pairs.allSatisfy { layout.mask & $0 == 0 || layout.mask & $0 == $0 }
    }

    /// A channel of a layout.
    private enum Speaker {
        case lowFrequency
        /// The direction, as a unit vector to the right, to the front and up.
        case direction(SIMD3<Double>)
    }

    private static func speakers(_ layout: ChannelLayout) -> [Speaker] {
        guard layout.count > 1, layout.mask != 0 else { return [Speaker](repeating: .direction(SIMD3<Double>(0, 1, 0)), count: layout.count) }
        return (0..<64).filter { layout.mask >> UInt64($0) & 1 == 1 }.map { bit -> Speaker in
            if bit == 3 || bit == 35 { return .lowFrequency }
            let (azimuth, elevation) = directions[bit] ?? (azimuth: 0, elevation: 0)
            let turn = azimuth * Double.pi / 180, rise = elevation * Double.pi / 180, level = cos(rise)
            return .direction(SIMD3<Double>(sin(turn) * level, cos(turn) * level, sin(rise)))
        }
    }

    private static func nearest(to source: Speaker, in targets: [Speaker]) -> [Int] {
        let distances = targets.map { target -> Double in
            switch (source, target) {
            case (.lowFrequency, .lowFrequency): 0
            case (.direction(let from), .direction(let to)): 1 - (from * to).sum()
            default: .infinity
            }
        }
        guard let least = distances.min(), least < .infinity else { return [] }
        return distances.indices.filter { distances[$0] < least + 1e-6 }
    }

    /// The azimuth, to the right, and the elevation of each speaker in degrees, by its bit in the mask (WAVE's up to 17, then FFmpeg's).
    private static let directions: [Int: (azimuth: Double, elevation: Double)] = [
        0: (-30, 0), 1: (30, 0), 2: (0, 0), 4: (-135, 0), 5: (135, 0), 6: (-22, 0), 7: (22, 0), 8: (180, 0), 9: (-90, 0), 10: (90, 0),
        11: (0, 90), 12: (-45, 45), 13: (0, 45), 14: (45, 45), 15: (-135, 45), 16: (180, 45), 17: (135, 45),
        29: (-30, 0), 30: (30, 0), 31: (-60, 0), 32: (60, 0), 33: (-90, 0), 34: (90, 0), 36: (-90, 45), 37: (90, 45), 38: (0, -30),
        39: (-45, -30), 40: (45, -30),
    ]
}
