import Glibc
import PlaybackEngine

/// Finds FLAC files that were joined to one: FFmpeg plays only the first, and its seeks may end in another.
enum FLACChain {
    /// The byte ranges of the joined files. Empty for a single file, and if the medium is remote or cannot seek. The file is searched only if there
    /// are signs that it was joined.
    static func links(_ stream: SampleStream) throws(PlaybackError) -> [Range<Int64>] {
        let io = stream.demuxer.io
        guard stream.demuxer.traits.container == .flac, io.source.isSeekable, !io.source.isRemote, let length = io.source.length else { return [] }
        guard mayBeJoined(stream, length) else { return [] }
        var starts: [Int64] = [0], at = stream.start.first.byte
        while at >= 0, at < length, starts.count <= limit {
            if io.interrupt.isRaised { throw .cancelled }
            let block = io.peek(at..<min(length, at + 1 << 20))
            starts += offsets(in: block).map { at + Int64($0) }
            guard block.count > head.count else { break }
            // The blocks overlap, for a stream that begins at the end of one block.
            at += Int64(block.count - head.count + 1)
        }
        guard starts.count > 1, starts.count <= limit else { return [] }
        return zip(starts, starts.dropFirst() + [length]).map { $0..<$1 }
    }

    /// The greatest number of joined files; if there are more, the medium is played as FFmpeg reads it.
    private static let limit = 1000
    /// The start of a file: "fLaC", and the header of the first metadata block without its mark as the last (RFC 9639, sections 6 and 8.1).
    private static let head: [UInt8] = Array("fLaC".utf8) + [0, 0, 0, 34]

    /// Whether frames at the end or in the middle do not belong to the first file, or there are more bytes than it can have.
    private static func mayBeJoined(_ stream: SampleStream, _ length: Int64) -> Bool {
        let frames: Int64
        switch stream.duration {
        case .exact(let stated, _): frames = stated
        // Without a stated length the frames at the end contradict nothing.
        case .estimated(let found, _) where FLACStreamInfo.sampleCount(stream.demuxer.parameters) == nil: frames = found
        default: return true
        }
        guard frames > 0 else { return true }
        let first = stream.start.first.byte, largest = stream.packets.meter.flac?.largestFrame ?? 0
        // The file may have become shorter.
        guard first < length else { return false }
        let (maximum, isTooMany) = (frames / Int64(max(1, stream.start.frameSize)) + 1).multipliedReportingOverflow(by: largest)
        if largest > 0, !isTooMany, maximum < length - first { return true }
        // Joined files of equal length have equal numbers at their ends.
        let middle = first + (length - first) / 2
        let range = middle..<min(length, middle + max(65_536, 3 * largest))
        guard let end = LengthCheck.flacEnd(stream.packets, range, claim: nil) else { return false }
        return !(frames / 8...frames * 7 / 8).contains(end - stream.packets.clock.origin)
    }

    private static func offsets(in block: [UInt8]) -> [Int] {
        block.withUnsafeBytes { bytes in
            var found: [Int] = [], at = 0
            while at + head.count <= bytes.count, let start = bytes.baseAddress,
                let offset = memchr(start + at, Int32(head[0]), bytes.count - at - head.count + 1).map({ UnsafeRawPointer($0) - start })
            {
                // The first bit, which marks the last metadata block, may be set.
                if memcmp(start + offset, head, 4) == 0, bytes[offset + 4] & 0x7F == 0, memcmp(start + offset + 5, Array(head[5...]), 3) == 0 {
                    found.append(offset)
                }
                at = offset + 1
            }
            return found
        }
    }
}
