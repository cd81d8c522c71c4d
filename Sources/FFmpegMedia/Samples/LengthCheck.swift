import CFFmpeg
import PlaybackEngine

/// Compares the length that a header states with the file, because a download may be incomplete, or the header wrong. Only local media are checked,
/// because the check may read bytes at the end of the medium.
enum LengthCheck {
    enum Verdict: Equatable {
        /// Nothing contradicts the length that the header states.
        case confirmed
        /// The certain length in frames, whatever the header states.
        case exactly(Int64)
        /// The estimated length in frames; only reading the medium shows the exact number.
        case about(Int64)
    }

    /// Checks the length `claim`, in frames. A medium that is remote, not seekable or of unknown size counts as confirmed.
    static func verdict(of claim: Int64, _ packets: PacketTimeline) -> Verdict {
        let demuxer = packets.demuxer
        guard !demuxer.io.source.isRemote, demuxer.io.source.isSeekable, let size = demuxer.io.source.length else { return .confirmed }
        switch demuxer.traits.container {
        // The length of Vorbis and Opus is that of the last page, but FLAC has one in its header.
        case .ogg:
            guard demuxer.codec == AV_CODEC_ID_FLAC else { return .confirmed }
            let end = demuxer.lastGranule.flatMap { packets.clock.raw($0) }.map { $0 - packets.clock.origin }
            return end == claim ? .confirmed : .about(max(0, min(claim, end ?? claim)))
        case .flac: return flac(claim, packets, size)
        case .wavPack: return wavPack(claim, packets, size)
        case .mpegAudio:
            // `StreamStart` has compared iTunes' numbers with the size.
            guard let tag = demuxer.xing, let bytes = tag.bytes, tag.start + bytes > size else { return .confirmed }
            return .about(claim)
        case .aiff, .au, .coreAudio, .w64, .wave:
            let block = Int64(demuxer.parameters.pointee.block_align)
            guard CodecTraits.isPulseCode(demuxer.codec), block > 0, packets.start.first.byte >= 0 else { fallthrough }
            let held = max(0, size - packets.start.first.byte) / block
            return held < claim ? .exactly(held) : .confirmed
        default: return indexed(claim, packets, size)
        }
    }

    /// Returns whether `frames` frames are impossible in `size` bytes: more than 8192 for each byte. FLAC's largest blocks of silence have half as
    /// many. False if the size is unknown.
    static func isImpossible(_ frames: Int64, in size: Int64?) -> Bool {
        guard let size else { return false }
        return frames / 8192 > size
    }

    /// Returns `duration`, or `unknown` if it is impossible in `size` bytes, or longer than a year in a medium of unknown size.
    static func possible(_ duration: MediaDuration, in size: Int64?) -> MediaDuration {
        switch duration {
        case .unknown: .unknown
        case .estimated(let frames, let rate), .exact(let frames, let rate):
            size == nil && frames / Int64(rate) > longest || isImpossible(frames, in: size) ? .unknown : duration
        }
    }
    /// The longest duration, in seconds: a year.
    private static let longest: Int64 = 366 * 86_400

    /// The largest number of bytes that are searched for the last frame of a FLAC file.
    private static let searchedLimit: Int64 = 1 << 20

    /// Confirms the length if the end of the file has a complete frame whose samples end there. Otherwise the length is about the end of the
    /// last frame.
    private static func flac(_ claim: Int64, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        guard let info = packets.meter.flac else { return .confirmed }
        let searched = min(searchedLimit, max(ByteSearch.usualWindow, 2 * info.largestFrame))
        let start = max(packets.start.first.byte, size - searched), end = claim + packets.clock.origin
        let bytes = packets.demuxer.io.peek(start..<max(start, size))
        let frames = bytes.withUnsafeBufferPointer { FLACFrameRun.candidates(in: $0, info) }
        if let last = frames.last(where: { $0.range.upperBound == end }), FLACFrameHeader.hasWholeFrame(bytes[last.offset...]) { return .confirmed }
        let last = FLACFrameRun.points(in: bytes, at: start, info).last
        guard let reached = frames.last(where: { $0.range.lowerBound == last?.position })?.range.upperBound else { return .about(claim) }
        return .about(min(claim, max(0, reached - packets.clock.origin)))
    }

    /// Confirms the length if the end of the file has a complete block whose samples end there. Otherwise the length is about the end of the last
    /// block.
    private static func wavPack(_ claim: Int64, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        let start = max(packets.start.first.byte, size - WavPackBlock.largest - 8)
        let bytes = packets.demuxer.io.peek(start..<max(start, size))
        let reached: Int64? = bytes.withUnsafeBufferPointer { bytes in
            var at = 0, end: Int64?
            while at + WavPackBlock.headerSize <= bytes.count {
                guard let block = WavPackBlock(UnsafeBufferPointer(rebasing: bytes[at...])) else {
                    at += 1
                    continue
                }
                if Int64(at) + block.size <= Int64(bytes.count), block.samples > 0 { end = block.index + block.samples }
                at += Int(min(block.size, Int64(bytes.count)))
            }
            return end
        }
        guard let reached else { return .about(claim) }
        return reached - packets.clock.origin == claim ? .confirmed : .about(min(claim, max(0, reached - packets.clock.origin)))
    }

    /// Checks the length with the container's index. If packets in the index lie after the end of the file, the length is about the position of the
    /// first such packet.
    private static func indexed(_ claim: Int64, _ packets: PacketTimeline, _ size: Int64) -> Verdict {
        let demuxer = packets.demuxer, count = demuxer.indexCount
        func isHeld(_ number: Int64) -> Bool {
            guard let entry = demuxer.indexed(number) else { return true }
            return entry.byte.addingReportingOverflow(entry.size).partialValue <= size
        }
        guard count > 0, !isHeld(count - 1) else { return .confirmed }
        var low: Int64 = 0, high = count - 1
        while low < high {
            let middle = low + (high - low) / 2
            if isHeld(middle) { low = middle + 1 } else { high = middle }
        }
        guard let time = demuxer.indexedTime(low), let position = packets.clock.raw(time) else { return .about(claim) }
        return .about(min(claim, max(0, position - packets.clock.origin)))
    }
}
