import CFFmpeg

/// What is known of the byte offsets of positions in a remote medium of MPEG audio or ADTS, from which reading can begin there.
final class ByteKnowledge {
    enum Rate: Equatable {
        case unknown
        case constant(ConstantRate)
        case variable
    }
    /// Whether the bit rate is constant, as far as it has been examined.
    private(set) var rate = Rate.unknown
    /// The packets read since the last jump to an estimated position, at their estimated positions. Seeks among them keep to the audio.
    private(set) var estimates: SeekIndex
    private let distance: Int64

    /// - Parameter distance: The distance between two packets that are recorded, in frames.
    init(distance: Int64) {
        self.distance = distance
        estimates = SeekIndex(distance: distance, capacity: 2048)
    }

    func setRate(_ rate: Rate) { self.rate = rate }

    /// Discards the estimated positions, before a jump to another one.
    func beginEstimates() { estimates = SeekIndex(distance: distance, capacity: 2048) }

    /// Records a packet at an estimated position.
    func addEstimate(_ packet: UnsafePointer<AVPacket>, at position: Int64) { estimates.add(packet, at: position) }

    /// Returns the recorded estimate that is nearest to `position`; nil if there is none.
    func estimate(nearest position: Int64) -> SeekIndex.Entry? { estimates.last(atOrBefore: position) ?? estimates.entries.first }
}
