import CFFmpeg
import PlaybackEngine

/// The packets of a stream on its timeline: reads them in order, computes the position of each, and enters the medium at other positions. Decodes
/// nothing.
final class PacketTimeline {
    /// The extent of a packet on the timeline.
    struct Span {
        /// The position of its first frame; nil if it is unknown.
        var position: Int64?
        /// The position after its last frame; nil if only decoding shows it.
        var end: Int64?
        /// Frames at its end that do not belong to the recording.
        var padding: Int64 = 0
    }
    let demuxer: Demuxer
    let start: StreamStart
    let meter: PacketMeter
    let feed: PacketFeed
    private(set) var clock: PacketClock
    private(set) var index: SeekIndex
    private var gaps = PacketGaps()
    /// The extent of the current packet; empty after a jump.
    private(set) var span = Span()
    /// The position of the stream's first packet.
    private(set) var firstPosition: Int64 = 0
    /// Whether the container's timestamps look like counts of samples, but were rounded by another container.
    private(set) var isRounded = false
    /// Whether the current positions are estimated. If so, the index and the length learn nothing from them.
    private(set) var isEstimated = false
    /// Whether FFmpeg's number of samples to drop at a packet's end is valid.
    private(set) var trimsPackets: Bool
    /// Packets that were missing or too damaged to be recognised, without those before a seek's target.
    private(set) var lostPackets = 0
    /// Whether the decoder must not use what it decoded before the current packet.
    private(set) var needsNewDecoder = false

    init(_ demuxer: Demuxer, start: StreamStart) throws(PlaybackError) {
        self.demuxer = demuxer
        self.start = start
        let rate = start.format.sampleRate, traits = demuxer.traits, timeBase = demuxer.stream.pointee.time_base
        let meter = PacketMeter(
            demuxer.parameters, sampleRate: rate, firstFrame: start.frameSize, firstPacket: start.packetSize,
            meanFrameSize: traits.isBareStream ? start.meanFrameSize(demuxer.xing) : nil)
        self.meter = meter
        let basis = traits.basis(codec: demuxer.codec, timeBase: timeBase, sampleRate: rate, knowsPositions: meter.flac != nil)
        clock = PacketClock(basis: basis, timeBase: timeBase, sampleRate: rate)
        index = SeekIndex(distance: Int64(rate) / 2)
        trimsPackets = traits.trimsPackets(limit: nil)
        feed = try PacketFeed(demuxer, ahead: start.packets)
        setOrigin()
        guard try RoundedTimestamps(demuxer: demuxer, start: start, clock: clock).areFound(in: feed, meter) else { return }
        isRounded = true
        clock.countPackets()
        clock.jump(to: firstPosition)
    }

    /// Sets the clock's origin to the first sample of the original recording.
    private func setOrigin() {
        let skip = Int64(start.skippedSamples)
        guard clock.basis != .counting, let first = start.packets.first?.raw else {
            clock.setOrigin(skip)
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        // Edits are in the container's time, but packets that were cut from a longer stream keep their sample numbers.
        if demuxer.traits.container == .mp4 { clock.align(first, own: meter.position(of: first)) }
        guard let raw = clock.rawPosition(of: first, own: meter.position(of: first)) else {
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        if let window = demuxer.window, let origin = clock.raw(window.origin) {
            // A track may begin up to 10 s late in a movie. A later timestamp is the start of a live recording.
            let isLate = raw - origin > 10 * Int64(start.format.sampleRate)
            clock.setOrigin(isLate ? raw : origin)
        } else {
            clock.setOrigin(skip > 0 ? raw + skip : max(0, raw))
        }
        firstPosition = raw - clock.origin
    }

    /// Sets the position at which the recording ends, on which the validity of FFmpeg's trimming depends.
    func setLimit(_ limit: Int64?) { trimsPackets = demuxer.traits.trimsPackets(limit: limit) }

    /// Whether `seek` is possible.
    var isSeekable: Bool { demuxer.io.source.isSeekable }
    /// The current packet.
    var packet: UnsafeMutablePointer<AVPacket> { feed.packet }

    /// Notes that the decoder has been replaced.
    func noteNewDecoder() { needsNewDecoder = false }

    // MARK: Reading

    /// Makes the next packet the current one, and sets its `span`; false at the end.
    ///
    /// - Parameters:
    ///   - decodedEnd: The position after the last decoded frame. The packet begins there if packets do not show it.
    ///   - position: The position before which lost packets do not count.
    func advance(decodedEnd: Int64?, countingFrom position: Int64) throws(PlaybackError) -> Bool {
        guard try feed.advance() else { return false }
        let packet = feed.packet, measured = measuredSamples()
        let leading = feed.number.flatMap { $0 < start.leadingSamples.count ? start.leadingSamples[$0] : nil }
        let samples = leading ?? measured
        clock.assume(next: decodedEnd)
        try skipMissing(countingFrom: position)
        span.position = clock.place(packet, samples: samples, own: meter.position(of: packet))
        if leading != nil { clock.discardDue() }
        span.end = end(after: samples)
        span.padding = trimsPackets ? Int64(SkipSamples(packet)?.end ?? 0) : 0
        // In MP4 the last packet's duration states how much of it is played. Durations of other packets may be rounded.
        if demuxer.traits.container == .mp4, let samples, clock.isExact {
            if let heard = clock.raw(packet.pointee.duration), heard > 0, heard < samples, try feed.packet(ahead: 0) == nil {
                span.padding = samples - heard
            }
        }
        if clock.basis == .counting, !isEstimated, let position = span.position, meter.standsAlone(packet, measuring: measured) {
            index.add(packet, at: position)
        }
        return true
    }

    private func end(after samples: Int64?) -> Int64? {
        guard let samples, let position = span.position else { return nil }
        return position + samples
    }

    /// Returns the frames that the current packet decodes to; nil if only decoding shows it.
    private func measuredSamples() -> Int64? {
        if let samples = meter.samples(in: packet) { return samples }
        let duration = packet.pointee.duration
        guard duration > 0, clock.isExact, let samples = clock.raw(duration) else { return nil }
        // A packet that claims 2³² samples or more is damaged.
        return samples < 1 << 32 ? samples : nil
    }

    /// Skips audio that is missing before the current packet: silence replaces it, and later packets keep their positions.
    private func skipMissing(countingFrom position: Int64) throws(PlaybackError) {
        if meter.gap > 0 {
            clock.skip(meter.gap)
            count(lost: Int(clamping: max(1, meter.gap / Int64(max(1, start.frameSize)))), from: position)
        }
        guard clock.basis == .counting, isRounded || demuxer.traits.statesTimes else { return }
        guard let loss = try gaps.loss(in: feed, clock: clock, isOnlyStream: demuxer.isOnlyStream) else { return }
        clock.skip(loss.frames)
        // The packets before the gap do not join those after it. A new decoder gives the same samples from every entry point of the medium.
        needsNewDecoder = true
        count(lost: loss.packets, from: position)
    }

    private func count(lost packets: Int, from position: Int64) {
        guard let next = clock.next, next > position else { return }
        lostPackets += packets
    }

    /// Notes that the current packet could not be decoded. If its length is unknown, it takes no time.
    func skipUndecoded() {
        if span.end == nil { clock.assume(next: span.position) }
    }

    // MARK: Jumping

    /// Discards the state of the preceding packets, before the demuxer jumps.
    func restart() {
        meter.reset()
        leaveSequence()
        clock.jump()
    }

    /// Continues with the packet after the current one, which ends at `position`.
    func resume(at position: Int64) {
        leaveSequence()
        clock.resume(at: position)
        span.end = position
        isEstimated = false
    }

    private func leaveSequence() {
        feed.discardAhead()
        gaps.reset()
        span = Span()
    }

    /// Returns to the stream's first packet, which becomes the next one.
    func rewind() throws(PlaybackError) {
        restart()
        // The demuxer may be unable to return after many seeks. If so, a new one is opened.
        if try enter(at: start.first), try feed.advance(), SeekIndex.matches(start.first, packet) {
            try feed.restart(isCurrent: true)
        } else {
            try demuxer.reopen()
            try feed.restart(isCurrent: false)
        }
        // Not every decoder resets completely when it is flushed.
        if start.traits.preroll > 0 { needsNewDecoder = true }
        clock.jump(to: firstPosition)
        isEstimated = false
    }

    /// Seeks to a known packet, which becomes the current one; false if it is not found again.
    func land(on anchor: SeekIndex.Entry) throws(PlaybackError) -> Bool {
        restart()
        guard try enter(at: anchor), try find(anchor) else { return false }
        clock.jump(to: anchor.position)
        let samples = measuredSamples()
        span.position = clock.place(packet, samples: samples)
        span.end = samples.map { anchor.position + $0 }
        isEstimated = false
        return true
    }

    /// Takes `position` as the estimated position of the current packet, after a jump.
    func estimate(_ position: Int64) {
        isEstimated = true
        span.position = position
        span.end = end(after: measuredSamples())
        clock.jump(to: position, end: span.end)
    }
}
