/// The frames that a device received.
public struct Heard: Sendable {
    public let frames: [Noise.Frame]

    /// - Parameter samples: The interleaved samples of two channels.
    public init(_ samples: [Int16]) {
        frames = (0..<(samples.count / 2)).map { Noise.Frame(left: samples[2 * $0], right: samples[2 * $0 + 1]) }
    }

    /// The frames that are not silent, in order.
    public var sound: [Noise.Frame] { frames.filter { !$0.isSilent } }

    /// The frames from the first frame that is not silent to the last such frame, with the silence between them.
    public var soundWithHoles: ArraySlice<Noise.Frame> {
        guard let first = frames.firstIndex(where: { !$0.isSilent }), let last = frames.lastIndex(where: { !$0.isSilent }) else { return [] }
        return frames[first...last]
    }

    /// The largest number of consecutive silent frames between frames that are not silent.
    public var longestHole: Int {
        var longest = 0, current = 0
        for frame in soundWithHoles {
            current = frame.isSilent ? current + 1 : 0
            longest = max(longest, current)
        }
        return longest
    }

    /// Returns the index of the first frame with a sample beyond ±`level`; nil if there is none.
    public func onset(above level: Int = 0) -> Int? { frames.firstIndex { abs(Int($0.left)) > level || abs(Int($0.right)) > level } }

    public func isSilent(in range: Range<Int>) -> Bool { frames[range].allSatisfy { $0.isSilent } }

    /// Returns the indices of the frames after which the left sample changes by more than `limit`.
    public func steps(above limit: Double) -> [Int] {
        (0..<max(0, frames.count - 1)).filter { Double(abs(Int(frames[$0 + 1].left) - Int(frames[$0].left))) > limit }
    }
}

extension ArraySlice where Element == Noise.Frame {
    /// The samples of the left channel.
    public var left: [Int32] { map { Int32($0.left) } }

    /// The lowest and the highest sample of the left channel; nil if there is no frame.
    public var extent: ClosedRange<Int>? {
        guard let first else { return nil }
        var (low, high) = (first.left, first.left)
        for frame in self { (low, high) = (Swift.min(low, frame.left), Swift.max(high, frame.left)) }
        return Int(low)...Int(high)
    }

    /// The root mean square of the samples of each channel.
    public var level: (left: Double, right: Double) {
        var (left, right) = (0.0, 0.0)
        for frame in self {
            left += Double(frame.left) * Double(frame.left)
            right += Double(frame.right) * Double(frame.right)
        }
        return ((left / Double(count)).squareRoot(), (right / Double(count)).squareRoot())
    }
}
