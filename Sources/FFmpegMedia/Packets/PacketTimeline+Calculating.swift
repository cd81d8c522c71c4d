import CFFmpeg
import PlaybackEngine

/// Seeks in remote MPEG audio and ADTS, which have no index: reading begins at a calculated or estimated byte offset, without the bytes before it.
extension PacketTimeline {
    /// The number of consecutive frames, beginning with the frame itself, by which a frame near an estimated byte offset is recognised.
    private static let consistentFrames = 5
    /// The number of bytes that are searched for frames at once, and the maximum number of such searches.
    private static let searched = 48 << 10
    private static let searches = 4

    /// Begins reading at the target of the seek in a remote medium. If the bit rate is constant, the landing is exact. Otherwise it is estimated, if
    /// the request allows that. Returns nil if reading from a packet in the index costs little, or if there is no better way.
    func landByCalculation(_ request: Request) throws(PlaybackError) -> Landing? {
        let source = demuxer.io.source
        guard source.isRemote, demuxer.traits.isFrameStream, let length = source.length else { return nil }
        let entry = request.target - start.traits.preroll
        // Before anything has been read, the index is empty.
        let anchor = index.last(atOrBefore: entry) ?? first
        guard anchor.byte >= 0, entry - anchor.position > nearby else { return nil }
        let estimate = byteEstimate(request.duration, length: length)
        // A target after the end that a tag states is reached by reading, because only that shows whether audio follows this end.
        guard demuxer.xing?.frames == nil || entry - firstPosition < estimate.frames else { return nil }
        let byte = estimate.offset(of: entry - firstPosition)
        // If the distance is small, reading the bytes in between is as quick as recognising frames at another offset.
        guard byte - anchor.byte > Int64(PacketTimeline.searched) else { return nil }
        // If the bytes up to the target are present, counting their frames needs no request. A margin is added, because the estimated offset of the
        // target may be too low.
        let margin = max(Int64(PacketTimeline.searched), (byte - anchor.byte) / 16)
        if source.isPresent(anchor.byte..<max(anchor.byte, min(length, byte + margin))) { return nil }
        if let landing = try landByConstantRate(request, entry, anchor, length) { return landing }
        guard request.allowsEstimate else { return nil }
        return try landByEstimate(request, entry, anchor, estimate, length)
    }

    /// An index entry for the first packet of the stream.
    var first: SeekIndex.Entry {
        var entry = start.first
        entry.position = firstPosition
        return entry
    }

    /// The largest distance from a known packet to the target at which the packets in between are read, without a jump, in frames.
    private var nearby: Int64 { max(10 * Int64(start.format.sampleRate), 2 * index.distance) }

    // MARK: Constant bit rate

    private func landByConstantRate(
        _ request: Request, _ entry: Int64, _ anchor: SeekIndex.Entry, _ length: Int64
    ) throws(PlaybackError) -> Landing? {
        guard let (rate, end) = try constantRate(at: anchor, length) else { return nil }
        let samples = Int64(start.frameSize)
        let frames = min((entry - anchor.position) / samples, Int64(Double(end - anchor.byte) / rate.meanSize))
        guard frames > 0 else { return nil }
        let first = anchor.byte + rate.distance(of: frames) - rate.deviation
        let bytes = try bytes(at: first, count: Int(ConstantRate.window + 2 * rate.deviation))
        guard let index = bytes.withUnsafeBufferPointer({ rate.firstFrame(in: $0, from: 0..<Int(2 * rate.deviation + 1)) }),
            let found = packet(in: bytes, at: index, run: rate.run, first: first, position: anchor.position + frames * samples)
        else {
            knowledge.setRate(.variable)
            return nil
        }
        guard try land(on: found) else { return nil }
        return try skipPackets(before: entry, request.target)
    }

    /// Returns the constant bit rate of the medium, and the byte offset up to which it holds; nil if the bit rate varies. It is the bit rate of the
    /// frames at `anchor`. Frames at the end of the medium must be at an offset that follows from this bit rate, and a tag must not contradict it.
    private func constantRate(at anchor: SeekIndex.Entry, _ length: Int64) throws(PlaybackError) -> (rate: ConstantRate, end: Int64)? {
        switch knowledge.rate {
        case .constant(let rate, let end): return (rate, end)
        case .variable: return nil
        case .unknown: break
        }
        let known = demuxer.traits.container == .mpegAudio ? try examinedRate(at: anchor, length) : nil
        knowledge.setRate(known.map { .constant($0.rate, end: $0.end) } ?? .variable)
        return known
    }

    private func examinedRate(at anchor: SeekIndex.Entry, _ length: Int64) throws(PlaybackError) -> (rate: ConstantRate, end: Int64)? {
        let head = try bytes(at: anchor.byte, count: Int(ConstantRate.window))
        guard let rate = head.withUnsafeBufferPointer({ ConstantRate($0) }) else { return nil }
        var end = length
        if let tag = demuxer.xing, tag.isAboutWholeFile, let frames = tag.frames, let bytes = tag.bytes {
            // In some files, the tag's number of frames includes the frame with the tag; in others it does not.
            guard abs(Double(bytes) - Double(frames) * rate.meanSize) <= 3 * rate.meanSize else { return nil }
            end = min(end, tag.start + bytes)
        }
        let first = max(anchor.byte, end - Int64(PacketTimeline.searched))
        let tail = try bytes(at: first, count: Int(max(0, end - first)))
        guard let index = tail.withUnsafeBufferPointer({ rate.firstFrame(in: $0, from: 0..<tail.count) }) else { return nil }
        let last = first + Int64(index)
        return rate.frames(in: last - anchor.byte) == nil ? nil : (rate, last)
    }

    // MARK: Estimates

    private func byteEstimate(_ duration: MediaDuration, length: Int64) -> ByteEstimate {
        if let tag = demuxer.xing, tag.isAboutWholeFile, let frames = tag.frames {
            let end = min(length, tag.bytes.map { tag.start + $0 } ?? length)
            return ByteEstimate(shares: tag.shares, bytes: tag.start..<max(tag.start + 1, end), frames: frames * Int64(start.frameSize))
        }
        let frames = duration.seconds.map { Int64(bounded: $0 * Double(start.format.sampleRate)) } ?? 1
        return ByteEstimate(bytes: start.first.byte..<max(start.first.byte + 1, length), frames: frames - firstPosition)
    }

    private func landByEstimate(
        _ request: Request, _ entry: Int64, _ anchor: SeekIndex.Entry, _ estimate: ByteEstimate, _ length: Int64
    ) throws(PlaybackError) -> Landing? {
        // If audio at an estimated position is nearer to the target than `anchor`, the seek begins at that audio, or its estimate is relative to that
        // audio: then both positions have the same error.
        var base = anchor
        if let near = knowledge.estimate(near: entry), abs(near.position - entry) < entry - anchor.position {
            if (0...nearby).contains(entry - near.position), try land(on: near, isEstimated: true) {
                return try skipPackets(before: entry, request.target)
            }
            base = near
        }
        var byte = estimate.offset(of: estimate.position(of: base.byte) + entry - base.position)
        byte = max(anchor.byte, min(byte, length - Int64(PacketTimeline.searched)))
        guard let found = try firstPacket(from: byte, position: entry) else { return nil }
        knowledge.beginEstimates()
        guard try land(on: found, isEstimated: true) else { return nil }
        return .packet(position: request.target)
    }

    /// Returns the first frame, from the byte offset `byte` on, that is followed by frames of the same kind, as a packet at `position`; nil if there
    /// is none.
    private func firstPacket(from byte: Int64, position: Int64) throws(PlaybackError) -> SeekIndex.Entry? {
        guard let run = start.run else { return nil }
        var first = byte
        for _ in 0..<PacketTimeline.searches {
            let bytes = try bytes(at: first, count: PacketTimeline.searched)
            let index = bytes.withUnsafeBufferPointer { run.firstFrame(in: $0, followedBy: PacketTimeline.consistentFrames - 1) }
            if let index { return self.packet(in: bytes, at: index, run: run, first: first, position: position) }
            guard bytes.count == PacketTimeline.searched else { return nil }
            first += Int64(bytes.count / 2)
        }
        return nil
    }

    // MARK: Bytes

    /// Returns the frame at an index of `bytes`, which begin at the byte offset `first`, as a packet at `position`.
    private func packet(in bytes: [UInt8], at index: Int, run: FrameRun, first: Int64, position: Int64) -> SeekIndex.Entry? {
        bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress, index + FrameRun.headerSize <= bytes.count else { return nil }
            let size = run.size(at: start + index)
            guard size > 0, index + size <= bytes.count else { return nil }
            let digest = SeekIndex.digest(UnsafeBufferPointer(rebasing: bytes[index..<(index + size)]))
            return SeekIndex.Entry(position: position, byte: first + Int64(index), timestamp: 0, size: Int32(size), digest: digest)
        }
    }

    /// Returns at most `count` bytes of the medium from `offset` on. FFmpeg's read offset does not change.
    private func bytes(at offset: Int64, count: Int) throws(PlaybackError) -> [UInt8] {
        try demuxer.io.bytes(offset..<(offset + Int64(max(0, count))))
    }
}

extension PacketTimeline {
    /// Adds the packet at or before `position` to the seek index if its number gives its exact position: in an MP4 file with rounded timestamps, the
    /// container's index states the number of a packet, and all packets of AAC decode to the same number of frames. Does nothing if the seek index
    /// has a packet at most a second before `position`, or if the current packet ends there.
    ///
    /// Positions with gaps between packets are counted from the start instead, because the gaps are measured while packets are read (`PacketGaps`).
    func indexPacket(before position: Int64) throws(PlaybackError) {
        let rate = Int64(start.format.sampleRate), size = Int64(start.frameSize), leading = start.leadingSamples
        guard isRounded, isSeekable, demuxer.traits.container == .mp4, demuxer.codec == AV_CODEC_ID_AAC, size > 0 else { return }
        let first = firstPosition + leading.reduce(0, +)
        guard position > first, position - (index.last(atOrBefore: position)?.position ?? firstPosition) > rate else { return }
        if !isEstimated, let end = span.end, end <= position, position - end <= rate { return }
        let steps = (position - first) / size, number = Int64(leading.count) + steps
        // The index must show no gap that `PacketGaps` would find. `PacketGaps` finds gaps of more than 5 ms, if packets are damaged.
        let ticks = clock.timestamp(at: size + rate / 200) - clock.timestamp(at: 0)
        guard let time = demuxer.indexedTime(number), let place = demuxer.indexed(number), demuxer.isIndexDense(limit: ticks) else { return }
        restart()
        try demuxer.seek(timestamp: time)
        guard try reader.advance(), packet.pointee.pos == place.byte, packet.pointee.pts == time else { return }
        record(SeekIndex.entry(for: packet, at: first + steps * size))
    }
}
