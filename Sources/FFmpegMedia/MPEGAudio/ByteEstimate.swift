/// The estimated byte offsets of positions in MPEG audio or ADTS: from the table of a Xing or VBRI tag, or else proportional to the position. Between
/// two entries of the table, the bit rate counts as constant.
struct ByteEstimate {
    /// Positions, in frames from the first frame of the audio, and their byte offsets, both in increasing order.
    private let positions: [Double]
    private let offsets: [Double]

    /// - Parameters:
    ///   - shares: The shares of the audio's bytes at equal intervals of its length, the first one 0 and the last one 1. Shares that do not increase
    ///     from 0 to 1 are replaced by equal ones.
    ///   - bytes: The byte offsets of the audio in the medium.
    ///   - frames: The length of the audio, in frames; at least 1.
    init(shares: [Double] = [], bytes: Range<Int64>, frames: Int64) {
        let isValid = shares.count >= 2 && shares.first == 0 && shares.last == 1 && zip(shares, shares.dropFirst()).allSatisfy { $0 <= $1 }
        let shares = isValid ? shares : [0, 1], interval = Double(max(1, frames)) / Double(shares.count - 1)
        positions = shares.indices.map { Double($0) * interval }
        offsets = shares.map { Double(bytes.lowerBound) + $0 * Double(bytes.count) }
    }

    /// The length of the audio, in frames.
    var frames: Int64 { Int64(bounded: positions.last ?? 1) }

    /// Returns the estimated byte offset of `position`, in frames from the first frame of the audio.
    func offset(of position: Int64) -> Int64 { Int64(bounded: ByteEstimate.value(at: Double(position), positions, offsets)) }

    /// Returns the estimated position of a byte offset, in frames from the first frame of the audio.
    func position(of offset: Int64) -> Int64 { Int64(bounded: ByteEstimate.value(at: Double(offset), offsets, positions)) }

    /// Returns the value that belongs to the argument `argument`, by linear interpolation. Before the first argument it is the first value, after the
    /// last argument the last value.
    private static func value(at argument: Double, _ arguments: [Double], _ values: [Double]) -> Double {
        let next = arguments.partitioningIndex { $0 > argument }
        guard next > 0 else { return values[0] }
        guard next < arguments.count else { return values[arguments.count - 1] }
        let share = (argument - arguments[next - 1]) / (arguments[next] - arguments[next - 1])
        return values[next - 1] + share * (values[next] - values[next - 1])
    }
}
