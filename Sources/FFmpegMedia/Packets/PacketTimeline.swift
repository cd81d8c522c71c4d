import CFFmpeg
import PlaybackEngine

/// The packets of a stream on its timeline. Reads the packets in order, computes the position of each, and seeks to other positions. Decodes nothing.
final class PacketTimeline {
    /// The extent of a packet on the timeline, in frames.
    struct Span {
        /// The position of the packet's first frame; nil if it is unknown.
        var position: Int64?
        /// The position after the packet's last frame; nil if only decoding shows it.
        var end: Int64?
        /// The number of frames at the end of the packet that do not belong to the recording.
        var padding: Int64 = 0
    }
    let demuxer: Demuxer
    let start: StreamStart
    let meter: PacketMeter
    let feed: PacketFeed
    private(set) var clock: PacketClock
    private(set) var index: SeekIndex
    private var gaps = PacketGaps()
    /// The extent of the current packet; its values are nil after a seek.
    private(set) var span = Span()
    /// The position of the first packet of the stream.
    private(set) var firstPosition: Int64 = 0
    /// Whether the container's timestamps look like exact counts of samples, but were rounded by another container.
    private(set) var isRounded = false
    /// Whether the current positions are estimated. Estimated positions are not used for the index and the length.
    private(set) var isEstimated = false
    /// Whether FFmpeg's number of samples to drop at the end of a packet is valid.
    private(set) var trimsPackets: Bool
    /// The number of packets that were missing or too damaged to be recognised, without those before the target of a seek.
    private(set) var lostPackets = 0
    /// Whether the current packet must be decoded by a new decoder, because it does not continue the packets before it.
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

    /// Makes the first sample of the original recording position 0 of the clock.
    private func setOrigin() {
        let skip = Int64(start.skippedSamples)
        guard clock.basis != .counting, let first = start.packets.first?.raw else {
            clock.setOrigin(skip)
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        // Edit lists are in the container's time, but packets of FLAC that were cut from a longer stream keep their sample numbers.
        if demuxer.traits.container == .mp4 { clock.align(first, own: meter.position(of: first)) }
        guard let raw = clock.rawPosition(of: first, own: meter.position(of: first)) else {
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        if let window = demuxer.window, let origin = clock.raw(window.origin) {
            // A track may begin up to 10 s late in a movie. A later first timestamp is the start of a live recording.
            let isLate = raw - origin > 10 * Int64(start.format.sampleRate)
            clock.setOrigin(isLate ? raw : origin)
        } else {
            clock.setOrigin(skip > 0 ? raw + skip : max(0, raw))
        }
        firstPosition = raw - clock.origin
    }

    /// Sets the position at which the recording ends; nil if it is unknown. The validity of FFmpeg's trimming depends on this limit.
    func setLimit(_ limit: Int64?) { trimsPackets = demuxer.traits.trimsPackets(limit: limit) }

    /// Whether the medium can seek.
    var isSeekable: Bool { demuxer.io.source.isSeekable }
    /// The current packet.
    var packet: UnsafeMutablePointer<AVPacket> { feed.packet }

    /// Records that the decoder has been replaced.
    func noteNewDecoder() { needsNewDecoder = false }

    // MARK: Reading

    /// Makes the next packet the current one, and sets its `span`; false at the end of the stream.
    ///
    /// - Parameters:
    ///   - decodedEnd: The position after the last decoded frame. The packet begins there if packets do not show their positions.
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
        // In MP4 the duration of the last packet states how much of the packet is played. The durations of other packets may be rounded.
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

    /// Returns the number of frames to which the current packet decodes; nil if only decoding shows it.
    private func measuredSamples() -> Int64? {
        if let samples = meter.samples(in: packet) { return samples }
        let duration = packet.pointee.duration
        guard duration > 0, clock.isExact, let samples = clock.raw(duration) else { return nil }
        // A packet that states 2³² samples or more is damaged.
        return samples < 1 << 32 ? samples : nil
    }

    /// Skips the audio that is missing before the current packet: silence replaces the missing audio, and later packets keep their positions.
    private func skipMissing(countingFrom position: Int64) throws(PlaybackError) {
        if meter.gap > 0 {
            clock.skip(meter.gap)
            count(lost: Int(clamping: max(1, meter.gap / Int64(max(1, start.frameSize)))), from: position)
        }
        guard clock.basis == .counting, isRounded || demuxer.traits.statesTimes else { return }
        guard let loss = try gaps.loss(in: feed, clock: clock, isOnlyStream: demuxer.isOnlyStream) else { return }
        clock.skip(loss.frames)
        // The packets after the gap do not continue those before the gap. With a new decoder they give the same samples, wherever reading began.
        needsNewDecoder = true
        count(lost: loss.packets, from: position)
    }

    private func count(lost packets: Int, from position: Int64) {
        guard let next = clock.next, next > position else { return }
        lostPackets += packets
    }

    /// Records that the current packet could not be decoded. If its length is unknown, the next packet begins at its position.
    func skipUndecoded() {
        if span.end == nil { clock.assume(next: span.position) }
    }

    // MARK: Jumping

    /// Discards the state of the preceding packets, before the demuxer seeks.
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

    /// Returns to the first packet of the stream, which becomes the next packet.
    func rewind() throws(PlaybackError) {
        restart()
        // After many seeks the demuxer may be unable to return to the first packet. Then the medium is opened again.
        if try enter(at: start.first), try feed.advance(), SeekIndex.matches(start.first, packet) {
            try feed.restart(isCurrent: true)
        } else {
            try demuxer.reopen()
            try feed.restart(isCurrent: false)
        }
        // A flush does not reset every decoder completely.
        if start.traits.preroll > 0 { needsNewDecoder = true }
        clock.jump(to: firstPosition)
        isEstimated = false
    }

    /// Seeks to a known packet of the index, which becomes the current packet; false if it is not found again.
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

    /// Sets the position of the current packet to `position`, an estimate, after a seek.
    func estimate(_ position: Int64) {
        isEstimated = true
        span.position = position
        span.end = end(after: measuredSamples())
        clock.jump(to: position, end: span.end)
    }
}
