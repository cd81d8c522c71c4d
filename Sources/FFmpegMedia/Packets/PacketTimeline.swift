import CFFmpeg
import PlaybackEngine

/// The packets of a stream, each with its position on the timeline. `PacketTimeline` reads the packets in order, computes the position of each
/// packet, and seeks to other positions. `PacketTimeline` does not decode packets.
final class PacketTimeline {
    /// The positions on the timeline that a packet occupies, in frames.
    struct Span {
        /// The position of the packet's first frame; nil if it is unknown.
        var position: Int64?
        /// The position after the packet's last frame; nil if only decoding the packet shows it.
        var end: Int64?
        /// The number of frames at the end of the packet that do not belong to the original recording.
        var padding: Int64 = 0
    }
    let demuxer: Demuxer
    let start: StreamStart
    let meter: PacketMeter
    let reader: PacketReader
    private(set) var clock: PacketClock
    private(set) var index: SeekIndex
    /// The known byte offsets of positions, for seeks in remote media.
    let knowledge: ByteKnowledge
    private var gaps = PacketGaps()
    /// The positions that the current packet occupies on the timeline; unknown after a seek.
    private(set) var span = Span()
    /// The position of the stream's first packet on the timeline.
    private(set) var firstPosition: Int64 = 0
    /// Whether the container's timestamps seem to count samples exactly, but are rounded, because another container from which the packets were
    /// copied had rounded them (`RoundedTimestamps`).
    private(set) var isRounded = false
    /// Whether the positions of the packets after a seek are only estimated. Estimated positions of packets are not used for the index and the length
    /// of the stream.
    private(set) var isEstimated = false
    /// Whether FFmpeg reports correctly how many samples to drop at the end of a packet.
    private(set) var trimsPackets: Bool
    /// The number of packets that were missing or too damaged to be recognised, without packets before the target of a seek.
    private(set) var lostPackets = 0
    /// The end of all audio that has counted as progress since the last jump, in frames.
    private var audioEnd: Int64 = .min
    /// Whether a new decoder must decode the current packet, because the packet does not continue the packets before it.
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
        knowledge = ByteKnowledge(distance: Int64(rate) / 2)
        trimsPackets = traits.trimsPackets(limit: nil)
        reader = try PacketReader(demuxer, ahead: start.packets)
        setOrigin()
        knowledge.setSearch(RemoteSearch(demuxer, meter, start: start, clock: clock, firstPosition: firstPosition))
        guard try RoundedTimestamps(demuxer: demuxer, start: start, clock: clock).areFound(in: reader, meter) else { return }
        isRounded = true
        clock.countPackets()
        clock.jump(to: firstPosition)
    }

    /// Makes the first sample of the original recording position 0 of the timeline.
    private func setOrigin() {
        let skip = Int64(start.skippedSamples)
        guard clock.basis != .counting, let first = start.packets.first?.raw else {
            clock.setOrigin(skip)
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        // The edit lists of MP4 are in the container's time, but packets of FLAC that were cut from a longer stream keep their sample numbers.
        if demuxer.traits.container == .mp4 { clock.align(first, own: meter.position(of: first)) }
        guard var raw = clock.rawPosition(of: first, own: meter.position(of: first)) else {
            firstPosition = -skip
            return clock.jump(to: -skip)
        }
        // FFmpeg gives the first packet of Vorbis a duration, but the packet completes no samples (Vorbis I, section 4.3.8).
        if demuxer.traits.container == .ogg, demuxer.codec == AV_CODEC_ID_VORBIS { raw += clock.raw(first.pointee.duration) ?? 0 }
        if let window = demuxer.window, let origin = clock.raw(window.origin) {
            // A track may begin up to 10 s after the start of its movie. A first timestamp of more than 10 s is the start time of a live recording,
            // not a late track.
            let isLate = raw - origin > 10 * Int64(start.format.sampleRate)
            clock.setOrigin(isLate ? raw : origin)
        } else {
            clock.setOrigin(skip > 0 ? raw + skip : max(0, raw))
        }
        firstPosition = raw - clock.origin
        clock.jump(to: firstPosition)
    }

    /// Sets the position on the timeline at which the recording ends; nil if it is unknown. Whether the end is known determines whether FFmpeg's
    /// number of samples to drop is used (`trimsPackets`).
    func setLimit(_ limit: Int64?) { trimsPackets = demuxer.traits.trimsPackets(limit: limit) }

    var isSeekable: Bool { demuxer.io.source.isSeekable }
    /// The packet of the stream that is decoded now.
    var packet: UnsafeMutablePointer<AVPacket> { reader.packet }

    /// Records that a new decoder has replaced the old one.
    func noteNewDecoder() { needsNewDecoder = false }

    // MARK: Reading

    /// Makes the stream's next packet the current packet, and sets its `span`; returns false at the end of the stream.
    ///
    /// - Parameters:
    ///   - decodedEnd: The position after the last decoded frame, in frames. The next packet begins after the last decoded frame if packets do not
    ///     show their positions.
    ///   - position: The position before which lost packets do not count, in frames.
    func advance(decodedEnd: Int64?, countingFrom position: Int64) throws(PlaybackError) -> Bool {
        guard try reader.advance() else { return false }
        let packet = reader.packet, measured = measuredSamples()
        let leading = reader.number.flatMap { $0 < start.leadingSamples.count ? start.leadingSamples[$0] : nil }
        let samples = leading ?? measured
        clock.assume(next: decodedEnd)
        try skipMissing(countingFrom: position)
        span.position = clock.place(packet, samples: samples, own: meter.position(of: packet))
        if leading != nil { clock.discardDue() }
        span.end = end(after: samples)
        span.padding = trimsPackets ? Int64(SkipSamples(packet)?.end ?? 0) : 0
        // In MP4, the duration of the last packet states how much of this packet is played. The durations of other packets may be rounded.
        if demuxer.traits.container == .mp4, let samples, clock.isExact {
            if let heard = clock.raw(packet.pointee.duration), heard > 0, heard < samples, try reader.packet(ahead: 0) == nil {
                span.padding = samples - heard
            }
        }
        if clock.basis == .counting, let position = span.position, meter.standsAlone(packet, measuring: measured) {
            if isEstimated { knowledge.addEstimate(packet, at: position) } else { index.add(packet, at: position) }
        }
        return true
    }

    /// Returns the number of samples in an Ogg stream whose packets are all on one page; nil if there are more pages, or a packet is damaged. Called
    /// before the first packet is taken.
    func samplesOfSinglePage() throws(PlaybackError) -> Int64? {
        meter.reset()
        defer { meter.reset() }
        var samples: Int64 = 0, number = 0
        while let packet = try reader.packet(ahead: number) {
            let measured = meter.samples(in: packet)
            guard packet.pointee.pos == start.first.byte, let measured else { return nil }
            samples += number < start.leadingSamples.count ? start.leadingSamples[number] : measured
            number += 1
        }
        // FFmpeg states the positions of such packets only in the first reading.
        clock.countPackets()
        return samples
    }

    private func end(after samples: Int64?) -> Int64? {
        guard let samples, let position = span.position else { return nil }
        return position + samples
    }

    /// Returns the number of frames to which the current packet decodes; nil if only decoding the packet shows it.
    private func measuredSamples() -> Int64? {
        if let samples = meter.samples(in: packet) { return samples }
        let duration = packet.pointee.duration
        guard duration > 0, clock.isExact, let samples = clock.raw(duration) else { return nil }
        // A packet that states 2³² samples or more is damaged.
        return samples < 1 << 32 ? samples : nil
    }

    /// Moves the clock over the audio that is missing before the current packet: bytes that belong to no frame (`meter.gap`), and gaps that the
    /// timestamps show (`gaps.loss`), after which a new decoder is needed. Losses up to `position` are not counted. Called before the packet's
    /// position is computed.
    private func skipMissing(countingFrom position: Int64) throws(PlaybackError) {
        // Such bytes before the first frame of the stream are not lost audio.
        if meter.gap > 0, clock.next != firstPosition {
            clock.skip(meter.gap)
            count(lost: Int(clamping: max(1, meter.gap / Int64(max(1, start.frameSize)))), from: position)
        }
        guard clock.basis == .counting, isRounded || demuxer.traits.statesTimes else { return }
        guard let loss = try gaps.loss(in: reader, clock: clock, isOnlyStream: demuxer.isOnlyStream) else { return }
        clock.skip(loss.frames)
        // The packets after a gap do not continue the packets before the gap. With a new decoder, the packets after a gap give the same samples,
        // wherever reading began.
        needsNewDecoder = true
        count(lost: loss.packets, from: position)
    }

    private func count(lost packets: Int, from position: Int64) {
        guard let next = clock.next, next > position else { return }
        lostPackets += packets
    }

    /// Records that the decoder could not decode the current packet. If its length is unknown, the next packet begins at the same position.
    func skipUndecoded() {
        if span.end == nil { clock.assume(next: span.position) }
    }

    /// Adds a packet to the index that was found without FFmpeg's demuxer.
    func record(_ entry: SeekIndex.Entry) { index.add(entry) }

    /// Records that packets or decoded frames reach up to the position `end`. They count as progress (`ByteSource.noteProgress`) only if `end` is
    /// after all earlier ends, so that repeated timestamps cannot renew the budget for ever.
    func noteAudio(upTo end: Int64) {
        guard end > audioEnd else { return }
        audioEnd = end
        demuxer.io.source.noteProgress()
    }

    // MARK: Jumping

    /// Returns the byte offset of the last packet or page at or before `position`; nil if only FFmpeg can find it.
    func byte(at position: Int64) -> Int64? { knowledge.byte(at: clock.timestamp(at: position)) }

    /// Records the byte offset of the current packet, from which a later search may begin.
    func noteByte() {
        guard let position = span.position, packet.pointee.pos >= 0 else { return }
        knowledge.note(clock.timestamp(at: position), packet.pointee.pos)
    }

    /// Discards what is remembered of preceding packets, before the demuxer seeks to another packet.
    func restart() {
        meter.reset()
        leaveSequence()
        clock.jump()
    }

    /// Continues with the next packet. `position` is the end of the current packet.
    func resume(at position: Int64) {
        leaveSequence()
        clock.resume(at: position)
        span.end = position
        isEstimated = false
    }

    private func leaveSequence() {
        reader.discardAhead()
        gaps.reset()
        span = Span()
        audioEnd = .min
    }

    /// Returns to the first packet of the stream, which becomes the next packet to read.
    func rewind() throws(PlaybackError) {
        restart()
        // After many seeks, FFmpeg's demuxer may be unable to return to the first packet. In this case the medium is opened again.
        if try enter(at: start.first), try reader.advance(), SeekIndex.matches(start.first, packet) {
            try reader.restart(isCurrent: true)
        } else {
            try demuxer.reopen()
            try reader.restart(isCurrent: false)
        }
        // A flush does not reset every decoder of FFmpeg completely, so a new decoder is used.
        if start.traits.preroll > 0 { needsNewDecoder = true }
        clock.jump(to: firstPosition)
        isEstimated = false
    }

    /// Seeks to a packet of the index, which becomes the current packet; returns false if the packet is not found again.
    ///
    /// - Parameter isEstimated: Whether the position of the packet is only estimated.
    func land(on anchor: SeekIndex.Entry, isEstimated: Bool = false) throws(PlaybackError) -> Bool {
        restart()
        guard try enter(at: anchor), try find(anchor) else { return false }
        clock.jump(to: anchor.position)
        let samples = measuredSamples()
        span.position = clock.place(packet, samples: samples)
        span.end = samples.map { anchor.position + $0 }
        self.isEstimated = isEstimated
        return true
    }

    /// Sets the position of the current packet to the estimate `position`, after a seek.
    func estimate(_ position: Int64) {
        isEstimated = true
        span.position = position
        span.end = end(after: measuredSamples())
        clock.jump(to: position, end: span.end)
    }
}
