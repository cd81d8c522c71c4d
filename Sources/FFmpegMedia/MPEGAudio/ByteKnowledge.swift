import CFFmpeg

/// The known byte offsets of positions in a remote medium, at which reading can begin. In MPEG audio and ADTS they follow from a bit rate and from
/// estimates, in FLAC and Ogg from the points of a search.
final class ByteKnowledge {
    enum Rate: Equatable {
        case unknown
        /// The bit rate is constant up to the byte offset `end`, after which at least `ConstantRate.leastFrames` more frames follow.
        case constant(ConstantRate, end: Int64)
        case variable
    }
    /// Whether the bit rate is constant, as far as it has been examined.
    private(set) var rate = Rate.unknown
    /// The packets read since the last jump to an estimated position, at their estimated positions. A seek to one of these positions reaches the same
    /// audio again.
    private var estimates: SeekIndex
    private let distance: Int64
    /// The search for the byte offset of a position in FLAC or Ogg; nil if FFmpeg searches for it.
    private var search: RemoteSearch?

    /// - Parameter distance: The distance between two packets that are recorded, in frames.
    init(distance: Int64) {
        self.distance = distance
        estimates = SeekIndex(distance: distance, capacity: 2048)
    }

    func setSearch(_ search: RemoteSearch?) { self.search = search }

    /// Returns the byte offset of the last packet or page at or before a timestamp; nil if only FFmpeg can find it.
    func byte(at timestamp: Int64) -> Int64? { search?.byte(at: timestamp) }

    /// Records that the packet at a timestamp is at a byte offset, from which a later search may begin.
    func note(_ timestamp: Int64, _ byte: Int64) { search?.note(timestamp, byte) }

    /// Records whether reading has reached the target of a seek from the byte that `byte(at:)` has found.
    func noteSearch(hasLanded: Bool) { search?.note(hasLanded: hasLanded) }

    func setRate(_ rate: Rate) { self.rate = rate }

    /// Discards the estimated positions, before a jump to another estimated position.
    func beginEstimates() { estimates = SeekIndex(distance: distance, capacity: 2048) }

    /// Records a packet at an estimated position.
    func addEstimate(_ packet: UnsafePointer<AVPacket>, at position: Int64) { estimates.add(packet, at: position) }

    /// Returns the last recorded estimate at or before `position`, or the first one if all are after it; nil if none is recorded.
    func estimate(near position: Int64) -> SeekIndex.Entry? { estimates.last(atOrBefore: position) ?? estimates.entries.first }
}

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
