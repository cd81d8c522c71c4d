import CFFmpeg
import PlaybackEngine

/// The search for the byte offset of a position in a FLAC or Ogg file on a server. FFmpeg's own search would halve the distance to the position, with
/// a request for each step, and it never uses the table of positions in a FLAC file.
struct RemoteSearch {
    private enum Format {
        /// `window` is the number of bytes that are read at once.
        case flac(FLACStreamInfo, window: Int64)
        case ogg
    }
    private let format: Format
    private let io: IOContext
    private var search: ByteSearch
    /// The number of consecutive searches that did not lead to the target.
    private var failures = 0

    /// The number of consecutive failed searches after which FFmpeg alone finds positions, because the bytes of the medium contradict its header.
    private static let failureLimit = 4
    /// The largest number of samples in a packet that begins on an Ogg page and ends on the next one: two blocks of Vorbis (Vorbis I, section 4.2.2).
    /// A packet of Opus has fewer.
    private static let largestPacket: Int64 = 8192
    /// The numbers of bytes that are read at once in Ogg: from the estimated offset on, and before it. A page often has a second of audio.
    private static let oggWindow: Int64 = 64 << 10
    private static let oggMargin: Int64 = 48 << 10

    /// Returns nil unless the medium is remote and seekable, its length is known, and it is FLAC, or Ogg with a single stream of Vorbis or Opus.
    init?(_ demuxer: Demuxer, _ meter: PacketMeter, start: StreamStart, clock: PacketClock, firstPosition: Int64) {
        io = demuxer.io
        let base = demuxer.stream.pointee.time_base, first = ByteSearch.Point(position: clock.timestamp(at: firstPosition), byte: start.first.byte)
        // The container's timestamps must count samples.
        guard io.source.isRemote, io.source.isSeekable, let length = io.source.length, base.num == 1, Int(base.den) == start.format.sampleRate,
            first.byte >= 0, first.byte < length
        else { return nil }
        let last: Int64
        switch (demuxer.traits.container, demuxer.codec) {
        case (.flac, _):
            guard let info = meter.flac, let count = FLACStreamInfo.sampleCount(demuxer.parameters) else { return nil }
            let window = max(ByteSearch.usualWindow, 3 * info.largestFrame) + info.parsedBytes(of: length - first.byte, samples: count)
            (format, last) = (.flac(info, window: window), count)
        case (.ogg, AV_CODEC_ID_VORBIS), (.ogg, AV_CODEC_ID_OPUS):
            guard demuxer.context.pointee.nb_streams == 1, let end = demuxer.lastGranule else { return nil }
            (format, last) = (.ogg, end)
        default: return nil
        }
        // No medium is so long that differences of positions overflow.
        guard last > first.position, last < 1 << 62, first.position > -(1 << 62) else { return nil }
        search = ByteSearch(first: first, end: ByteSearch.Point(position: last, byte: length), hints: demuxer.seekTable)
    }

    /// Records that a packet of FLAC at a timestamp is at a byte offset. Packets of Ogg are not recorded, because their byte offset is that of the
    /// Ogg page, which may begin with other packets.
    mutating func note(_ timestamp: Int64, _ byte: Int64) {
        if case .flac = format { search.note(ByteSearch.Point(position: timestamp, byte: byte)) }
    }

    /// Records whether reading from a found byte has reached the target.
    mutating func note(hasLanded: Bool) { failures = hasLanded ? 0 : failures + 1 }

    /// Returns the byte offset of the last FLAC frame or Ogg page from which reading on reaches the timestamp `target`; nil if it is not found.
    mutating func byte(at target: Int64) -> Int64? {
        guard failures < RemoteSearch.failureLimit else { return nil }
        let io = io
        var isReadable = false
        func read(_ range: Range<Int64>) -> [UInt8] {
            // One request asks for all bytes of the range, and for none after it.
            let bytes = io.interrupt.isRaised ? [] : (try? io.separateBytes(range)) ?? []
            // A failed read says nothing about the medium, so it does not count as a failed search.
            isReadable = bytes.count == range.count
            return bytes
        }
        let byte: Int64?
        switch format {
        case .flac(let info, let window):
            byte = search.offset(of: target, window: window, read: read) { bytes, start, _ in FLACFrameRun.points(in: bytes, at: start, info) }
        case .ogg:
            let target = max(target - RemoteSearch.largestPacket, search.start + 1)
            byte = search.offset(of: target, window: RemoteSearch.oggWindow, margin: RemoteSearch.oggMargin, read: read) {
                OggPageRun.points(in: $0, at: $1, $2)
            }
        }
        // The source is told to prepare for no further bytes of the last part, because the reads after the search may lie anywhere.
        io.source.setNeeded(nil)
        if byte == nil, isReadable { failures += 1 }
        return byte
    }
}
