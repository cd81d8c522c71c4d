import Foundation
import PlaybackTesting

/// Audio in which every range can be found again: 16-bit stereo in which each sample is loud and has a random sign, equal for equal seeds.
///
/// No frame is silent, so silence in a recording was inserted. Signs survive any volume, so a lost, repeated or swapped frame shows.
struct Noise {
    static let rate = 44_100
    let frames: [Frame]

    /// A pair of samples.
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

    /// The position of this range at full volume, or nil.
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

    /// The frames from the first that is not silent to the last, including silence in between.
    var soundWithHoles: ArraySlice<Noise.Frame> {
        guard let first = frames.firstIndex(where: { !$0.isSilent }), let last = frames.lastIndex(where: { !$0.isSilent }) else { return [] }
        return frames[first...last]
    }
}

/// The first index at which two sequences differ in more than volume, or nil, up to the length of the shorter.
func firstDifferenceOfSigns(_ heard: some RandomAccessCollection<Noise.Frame>, _ source: some RandomAccessCollection<Noise.Frame>) -> Int? {
    for (place, pair) in zip(heard, source).enumerated()
    where pair.0.left.signum() * pair.1.left.signum() < 0 || pair.0.right.signum() * pair.1.right.signum() < 0 {
        return place
    }
    return nil
}

/// The first index at which two sequences differ, or nil, up to the length of the shorter.
func firstDifference(_ heard: some RandomAccessCollection<Noise.Frame>, _ source: some RandomAccessCollection<Noise.Frame>) -> Int? {
    for (place, pair) in zip(heard, source).enumerated() where pair.0 != pair.1 { return place }
    return nil
}
