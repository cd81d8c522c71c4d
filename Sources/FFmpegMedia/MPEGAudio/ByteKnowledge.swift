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
    /// The packets read since the last jump to an estimated position, at their estimated positions. A seek to one of them reaches the same audio
    /// again.
    private var estimates: SeekIndex
    private let distance: Int64
    /// The search for the bytes of a position in FLAC or Ogg; nil if FFmpeg finds them.
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
