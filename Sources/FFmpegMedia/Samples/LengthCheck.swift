import CFFmpeg
import PlaybackEngine

/// Compares the length that the header of a medium states with the bytes of the file: a download may be incomplete, and a header may be wrong. Only
/// the lengths of local media are checked, because a check may have to read at the end of the file.
enum LengthCheck {
    enum Verdict: Equatable {
        /// Nothing contradicts the length that the header states.
        case confirmed
        /// The file holds exactly the associated number of frames, whatever the header states.
        case exactly(Int64)
        /// The file holds about the associated number of frames; only reading the file shows the exact number.
        case about(Int64)
        /// The length in the header could not be checked, although the format allows a check.
        case doubtful
    }

    /// Returns the verdict on `claim`, the length in frames that the medium's header states; `claim` is nil if the header states no length. The
    /// length of a medium that is remote, not seekable or of unknown size is not checked, and counts as confirmed.
    static func verdict(of claim: Int64?, _ packets: PacketTimeline) -> Verdict {
        let demuxer = packets.demuxer
        guard !demuxer.io.source.isRemote, demuxer.io.source.isSeekable, let size = demuxer.io.source.length else { return .confirmed }
        let container = demuxer.traits.container
        if container == .flac { return flac(claim, packets, size) }
        guard let claim else { return .confirmed }
        switch container {
        case .wavPack: return wavPack(claim, packets, size)
        case .matroska where demuxer.codec == AV_CODEC_ID_FLAC: return matroska(claim, packets, size)
        case .ogg:
            // The length in STREAMINFO (the header of FLAC) may differ from that of the last Ogg page.
            let stated = demuxer.stream.pointee.duration
            guard demuxer.codec == AV_CODEC_ID_FLAC, stated > 0, let pages = packets.clock.raw(stated), pages < claim else { return .confirmed }
            return .about(pages)
        case .aiff, .au, .coreAudio, .w64, .wave:
            let block = Int64(demuxer.parameters.pointee.block_align)
            guard CodecTraits.isPulseCode(demuxer.codec), block > 0, packets.start.first.byte >= 0 else { fallthrough }
            let held = max(0, size - packets.start.first.byte) / block
            return held < claim ? .exactly(held) : .confirmed
        default: return indexed(claim, packets, size)
        }
    }

    /// Returns whether `frames` frames are more than any codec can store in `size` bytes; false if the size is unknown (nil). The assumed maximum is
    /// 8192 frames for each byte of the file. FLAC's largest blocks of silence hold half as many for each byte.
    static func isImpossible(_ frames: Int64, in size: Int64?) -> Bool {
        guard let size else { return false }
        return frames / 8192 > size
    }

    /// Returns `duration` if a medium of `size` bytes can last so long; otherwise `unknown`. If the size is unknown, the limit is one year.
    static func possible(_ duration: MediaDuration, in size: Int64?) -> MediaDuration {
        switch duration {
        case .unknown: .unknown
        case .estimated(let frames, let rate), .exact(let frames, let rate):
            size == nil && frames / Int64(rate) > longest || isImpossible(frames, in: size) ? .unknown : duration
        }
    }
    /// The greatest length that a medium of unknown size may state, in seconds: a year.
    private static let longest: Int64 = 366 * 86_400

    /// Checks the length `claim`, in frames, that the header states, against the container's index. If the index lists packets after the end of the
    /// file, the length is about the position of the first of these packets.
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
        guard let time = demuxer.indexedTime(low), let position = packets.clock.raw(time) else { return .doubtful }
        return .about(min(claim, max(0, position - packets.clock.origin)))
    }
}
