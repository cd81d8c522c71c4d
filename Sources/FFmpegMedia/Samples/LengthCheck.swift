import CFFmpeg
import PlaybackEngine

/// Compares the length that a medium's header states with the file's bytes: a download may be truncated, and a header may be wrong. Checks only local
/// media, at the cost of one small read at the end.
enum LengthCheck {
    enum Verdict: Equatable {
        /// Nothing contradicts the stated length.
        case confirmed
        /// The file holds exactly this many frames.
        case exactly(Int64)
        /// The file holds about this many frames; only reading shows how many.
        case about(Int64)
        /// The stated length could not be checked, although the format allows it.
        case doubtful
    }

    /// Returns the verdict on `claim`, the stated number of frames; nil if the header states none.
    static func verdict(of claim: Int64?, _ stream: SampleStream) -> Verdict {
        let demuxer = stream.demuxer
        guard !demuxer.io.source.isRemote, demuxer.io.source.isSeekable, let size = demuxer.io.source.length else { return .confirmed }
        if demuxer.name == "flac" { return flac(claim, stream, size) }
        guard let claim else { return .confirmed }
        switch demuxer.name {
        case "wv": return wavPack(claim, stream, size)
        case "matroska" where demuxer.codec == AV_CODEC_ID_FLAC: return matroska(claim, stream, size)
        case "ogg":
            // STREAMINFO may have another count than the last page.
            let stated = demuxer.stream.pointee.duration
            guard demuxer.codec == AV_CODEC_ID_FLAC, stated > 0, let pages = stream.clock.raw(stated), pages < claim else { return .confirmed }
            return .about(pages)
        case "aiff", "au", "caf", "w64", "wav":
            let block = Int64(demuxer.parameters.pointee.block_align)
            guard CodecTraits.isPulseCode(demuxer.codec), block > 0, stream.start.first.byte >= 0 else { fallthrough }
            let held = max(0, size - stream.start.first.byte) / block
            return held < claim ? .exactly(held) : .confirmed
        default: return indexed(claim, stream, size)
        }
    }

    /// Whether no codec can put `frames` into `size` bytes: FLAC's largest blocks of silence hold half as many.
    static func isAbsurd(_ frames: Int64, in size: Int64?) -> Bool {
        guard let size else { return false }
        return frames / 8192 > size
    }

    // MARK: FLAC

    /// Checks against the positions that the last FLAC frames state.
    private static func flac(_ claim: Int64?, _ stream: SampleStream, _ size: Int64) -> Verdict {
        let origin = stream.clock.origin
        let window = max(65_536, min(1 << 20, 3 * stream.meter.largestFrame))
        if let end = flacEnd(stream, max(0, size - window)..<size, claim: claim.map { $0 + origin }) {
            return end - origin == claim ? .confirmed : .about(max(0, end - origin))
        }
        guard let claim else { return .confirmed }
        // The file does not end with FLAC frames. A frame from the middle shows whether the stated length can be true.
        let middle = size / 2
        guard let half = flacEnd(stream, middle..<min(size, middle + window), claim: nil), half > origin else { return .doubtful }
        return half - origin > claim || 4 * (half - origin) < claim ? .about(2 * (half - origin)) : .doubtful
    }

    /// Returns the end of the last frame in a range of the file. A frame without a neighbour counts only if it starts at 0 or ends at `claim`,
    /// because noise sometimes looks like a frame.
    static func flacEnd(_ stream: SampleStream, _ range: Range<Int64>, claim: Int64?) -> Int64? {
        let bytes = stream.demuxer.io.peek(range)
        return bytes.withUnsafeBufferPointer { bytes in
            var frames: [Range<Int64>] = [], at = 0
            while at + 6 < bytes.count {
                if bytes[at] == 0xFF, bytes[at + 1] & 0xFE == 0xF8 {
                    let rest = UnsafeBufferPointer(rebasing: bytes[at...])
                    if let header = FLACFrameHeader(rest), header.isIntact(rest), let range = stream.meter.range(of: header) { frames.append(range) }
                }
                at += 1
            }
            // A single pass, for speed: a hostile range can have a header at every sixth byte.
            var ends: Set<Int64> = [], joined: Int64?
            for frame in frames {
                if ends.contains(frame.lowerBound) { joined = frame.upperBound }
                ends.insert(frame.upperBound)
            }
            if let joined { return joined }
            return frames.last.flatMap { $0.lowerBound == 0 || $0.upperBound == claim ? $0.upperBound : nil }
        }
    }

    // MARK: FLAC in Matroska

    /// STREAMINFO is copied unchanged, even with only a part of the audio. Its count is trusted if the last frames agree, or otherwise the
    /// container's duration.
    private static func matroska(_ claim: Int64, _ stream: SampleStream, _ size: Int64) -> Verdict {
        let isWhole = segmentEnd(stream.demuxer.io.peek(0..<min(size, 4096))).map { $0 <= size } ?? false
        let duration = stream.demuxer.context.pointee.duration, rate = Int64(stream.format.sampleRate)
        let fits = isWhole && duration > 0 && claim - rate / 10 <= av_rescale(duration, rate, Int64(AV_TIME_BASE))
        // If there are several tracks, another one may be at the file's end.
        let verdict = stream.isAlone ? flac(claim, stream, size) : .doubtful
        return switch verdict {
        case .confirmed where !isWhole: .doubtful
        case .doubtful where fits: .confirmed
        default: verdict
        }
    }

    /// Returns the end of a Matroska file by its own statement (RFC 9559, section 5.1; RFC 8794, section 6.2: a size of all ones is unknown).
    private static func segmentEnd(_ bytes: [UInt8]) -> Int64? {
        func size(at place: Int) -> (value: Int64, end: Int)? {
            guard place < bytes.count, bytes[place] != 0 else { return nil }
            let width = bytes[place].leadingZeroBitCount + 1, end = place + width
            guard end <= bytes.count else { return nil }
            let value = bytes[place..<end].reduce(Int64(0)) { $0 << 8 | Int64($1) } & (1 << (7 * Int64(width)) - 1)
            return value < 1 << (7 * Int64(width)) - 1 ? (value, end) : nil
        }
        guard let header = size(at: 4), header.value < 4096 - 4 else { return nil }
        let segment = header.end + Int(header.value)
        guard segment + 4 <= bytes.count, Array(bytes[segment..<segment + 4]) == [0x18, 0x53, 0x80, 0x67] else { return nil }
        return size(at: segment + 4).map { Int64($0.end) + $0.value }
    }

    // MARK: WavPack

    /// Checks against the position that the last WavPack block states.
    private static func wavPack(_ claim: Int64, _ stream: SampleStream, _ size: Int64) -> Verdict {
        // A block holds up to half a second, and at most 1 MiB.
        for window in [131_072, WavPackBlock.largest + 65_536] as [Int64] {
            let start = max(0, size - window)
            let bytes = stream.demuxer.io.peek(start..<size)
            let end = bytes.withUnsafeBufferPointer { bytes -> Int64? in
                var at = bytes.count - WavPackBlock.headerSize
                while at >= 0 {
                    if bytes[at] == UInt8(ascii: "w"), let block = WavPackBlock(UnsafeBufferPointer(rebasing: bytes[at...])), block.samples > 0 {
                        return start + Int64(at) + block.size <= size ? block.index + block.samples : block.index
                    }
                    at -= 1
                }
                return nil
            }
            guard let end else { continue }
            guard let place = stream.clock.raw(end) else { return .doubtful }
            return place - stream.clock.origin == claim ? .confirmed : .about(max(0, place - stream.clock.origin))
        }
        return .doubtful
    }

    // MARK: Containers with an index

    /// Checks against the container's index: packets beyond the end of the file do not exist.
    private static func indexed(_ claim: Int64, _ stream: SampleStream, _ size: Int64) -> Verdict {
        let track = stream.demuxer.stream
        let count = avformat_index_get_entries_count(track)
        func isHeld(_ number: Int32) -> Bool {
            guard let entry = avformat_index_get_entry(track, number)?.pointee else { return true }
            return entry.pos.addingReportingOverflow(Int64(entry.size)).partialValue <= size
        }
        guard count > 0, !isHeld(count - 1) else { return .confirmed }
        var low: Int32 = 0, high = count - 1
        while low < high {
            let middle = low + (high - low) / 2
            if isHeld(middle) { low = middle + 1 } else { high = middle }
        }
        guard let entry = avformat_index_get_entry(track, low)?.pointee, let place = stream.clock.raw(entry.timestamp) else { return .doubtful }
        return .about(min(claim, max(0, place - stream.clock.origin)))
    }
}

extension IOContext {
    /// Returns the bytes of a range of a local source, as many as exist. FFmpeg's buffer and read offset do not change.
    func peek(_ range: Range<Int64>) -> [UInt8] {
        let before = source.offset
        let count = range.count
        // All threads share one empty array, and this initializer would write to it.
        guard count > 0, (try? source.seek(to: range.lowerBound)) != nil else { return [] }
        defer { try? source.seek(to: before) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let room = UnsafeMutableRawBufferPointer(buffer)
            filled = 0
            while filled < count, let got = try? source.read(into: UnsafeMutableRawBufferPointer(rebasing: room[filled..<count])), got > 0 {
                filled += got
            }
        }
    }
}
