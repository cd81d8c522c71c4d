import Foundation
import PlaybackTesting

/// Audio in which a test can find every range of frames again: 16-bit stereo, in which each sample is loud and has a random sign. Equal seeds make
/// equal audio.
///
/// No frame is silent, so silence in a recording was inserted by the player. A change of the volume does not change signs, so a lost, repeated or
/// swapped frame is detected at any volume.
struct Noise {
    static let rate = 44_100
    let frames: [Frame]

    /// A stereo frame: one sample of each channel.
    struct Frame: Hashable {
        var left: Int16
        var right: Int16
        var isSilent: Bool { left == 0 && right == 0 }
    }

    init(seconds: Double, seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        frames = (0..<Int(seconds * Double(Self.rate))).map { _ in
            let bits = generator.next()
            let left = 6000 + Int16(bits & 0x1FFF)
            let right = 6000 + Int16((bits >> 16) & 0x1FFF)
            return Frame(left: bits >> 62 & 1 == 0 ? left : -left, right: bits >> 63 == 0 ? right : -right)
        }
    }

    /// Returns the index of the first frame from which on the noise is equal to `stretch`; nil if there is none. The volume must be unchanged.
    func position(of stretch: ArraySlice<Frame>) -> Int? {
        guard let first = stretch.first, stretch.count <= frames.count else { return nil }
        return (0...(frames.count - stretch.count)).first { frames[$0] == first && frames[$0..<($0 + stretch.count)].elementsEqual(stretch) }
    }
}

/// The frames that a device received.
struct Heard {
    let frames: [Noise.Frame]

    init(_ samples: [Int16]) {
        frames = stride(from: 0, to: samples.count - 1, by: 2).map { Noise.Frame(left: samples[$0], right: samples[$0 + 1]) }
    }

    /// The frames that are not silent, in order.
    var sound: [Noise.Frame] { frames.filter { !$0.isSilent } }

    /// The frames from the first frame that is not silent to the last such frame, with the silence between them.
    var soundWithHoles: ArraySlice<Noise.Frame> {
        guard let first = frames.firstIndex(where: { !$0.isSilent }), let last = frames.lastIndex(where: { !$0.isSilent }) else { return [] }
        return frames[first...last]
    }
}

/// Returns the first index at which a sample of `heard` has another sign than the sample of `source`: a difference that a volume cannot cause. Nil if
/// there is none within the length of the shorter sequence.
func firstDifferenceOfSigns(_ heard: some RandomAccessCollection<Noise.Frame>, _ source: some RandomAccessCollection<Noise.Frame>) -> Int? {
    for (place, pair) in zip(heard, source).enumerated()
    where pair.0.left.signum() * pair.1.left.signum() < 0 || pair.0.right.signum() * pair.1.right.signum() < 0 {
        return place
    }
    return nil
}

/// Returns the first index at which two sequences of frames differ; nil if there is none within the length of the shorter sequence.
func firstDifference(_ heard: some RandomAccessCollection<Noise.Frame>, _ source: some RandomAccessCollection<Noise.Frame>) -> Int? {
    for (place, pair) in zip(heard, source).enumerated() where pair.0 != pair.1 { return place }
    return nil
}
