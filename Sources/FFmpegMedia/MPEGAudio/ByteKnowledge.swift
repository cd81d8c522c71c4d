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
    private(set) var estimates: SeekIndex
    /// The sampling of the medium, and its last estimate; nil if nothing is sampled.
    private(set) var sampling: RateSampling?
    private(set) var sampled: ByteEstimate?
    /// Whether the estimated positions come from an estimate that is older than `sampled`.
    private(set) var needsCorrection = false
    /// The packet at which reading began after the last jump to an estimated position, with its byte offset and its estimated position; nil if no
    /// positions are estimated.
    private(set) var landing: SeekIndex.Entry?
    /// The walks that may tie the estimated positions to exact ones.
    ///
    /// Set by `PacketTimeline`, which advances the walks.
    var ties = TieWalks()
    /// The number of frames by which estimated positions were corrected since the last call of `takeCorrection` (R-SEEK-24).
    private var correction: Int64 = 0
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

    func setSampling(_ sampling: RateSampling?) { self.sampling = sampling }

    /// Returns the estimate of the sampling if it is new since the last call; otherwise nil.
    func takeSampled() -> ByteEstimate? {
        guard let estimate = sampling?.takeEstimate() else { return nil }
        sampled = estimate
        needsCorrection = landing != nil
        return estimate
    }

    /// Records that the estimated positions agree with `sampled`.
    func noteCorrected() { needsCorrection = false }

    /// Discards the estimated positions: before a jump to another estimated position, after a newer estimate, or because they have become exact.
    ///
    /// - Parameter landing: The packet at which reading begins after the jump; nil if no other positions are estimated.
    func beginEstimates(at landing: SeekIndex.Entry? = nil) {
        estimates = SeekIndex(distance: distance, capacity: 2048)
        self.landing = landing
        ties = TieWalks()
        needsCorrection = false
    }

    /// Adds `frames` to the estimated positions, which remain estimated.
    func moveEstimates(by frames: Int64) {
        func moved(_ entry: SeekIndex.Entry) -> SeekIndex.Entry {
            var entry = entry
            entry.position += frames
            return entry
        }
        // The walk before the landing begins at an exact position, so it is kept unchanged.
        let former = (entries: estimates.entries, landing: landing, before: ties.before)
        beginEstimates(at: former.landing.map(moved))
        ties.before = former.before
        for entry in former.entries { estimates.add(moved(entry)) }
        noteCorrection(by: frames)
    }

    /// Records that estimated positions were corrected by `frames` frames.
    func noteCorrection(by frames: Int64) { correction += frames }

    func takeCorrection() -> Int64 {
        defer { correction = 0 }
        return correction
    }

    /// Records a packet at an estimated position.
    func addEstimate(_ packet: UnsafePointer<AVPacket>, at position: Int64) { estimates.add(packet, at: position) }

    /// Returns the last recorded estimate at or before `position`, or the first one if all are after it; nil if none is recorded.
    func estimate(near position: Int64) -> SeekIndex.Entry? { estimates.last(atOrBefore: position) ?? estimates.entries.first }
}
