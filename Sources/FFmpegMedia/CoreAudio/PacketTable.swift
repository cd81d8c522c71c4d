import CFFmpeg

/// The packet table of a Core Audio file (CAF): the number of frames of the recording, and of those that the encoder added before and after it
/// (Apple's Core Audio Format Specification, "Packet Table Chunk"). Tonearm reads it, because FFmpeg only adds the two numbers of added frames to the
/// length.
struct PacketTable: Equatable {
    let validFrames: Int64
    let primingFrames: Int64
    let remainderFrames: Int64

    /// The part of the stream that is the recording, in frames (the time base of these files); nil if the encoder added no frames. Without added
    /// frames the table is not trusted: some encoders then state the length in whole packets, although the last packet may hold fewer frames.
    var window: RecordingWindow? {
        guard primingFrames > 0 || remainderFrames > 0 else { return nil }
        return RecordingWindow(origin: primingFrames, end: primingFrames + validFrames, media: primingFrames + validFrames + remainderFrames)
    }

    private static let chunkLimit = 10_000

    /// Reads the packet table of a Core Audio file, and restores the byte offset of `io`; nil if there is no table, or if its numbers are
    /// implausible.
    init?(_ io: UnsafeMutablePointer<AVIOContext>) {
        let before = avio_seek(io, 0, SEEK_CUR), size = avio_size(io)
        guard before >= 0, size > 0 else { return nil }
        defer { avio_seek(io, before, SEEK_SET) }
        guard let at = PacketTable.offset(io, size), avio_seek(io, at, SEEK_SET) == at else { return nil }
        avio_skip(io, 8)
        validFrames = Int64(bitPattern: avio_rb64(io))
        primingFrames = Int64(Int32(bitPattern: avio_rb32(io)))
        remainderFrames = Int64(Int32(bitPattern: avio_rb32(io)))
        // No encoder adds 2²⁰ frames or more before or after the recording.
        let delays: Range<Int64> = 0..<(1 << 20)
        guard avio_feof(io) == 0, (1..<(1 << 48)).contains(validFrames), delays.contains(primingFrames), delays.contains(remainderFrames) else {
            return nil
        }
    }

    /// Returns the byte offset of the packet table's content in a file of `size` bytes; nil if the file has no packet table, or is damaged. The first
    /// chunk follows the file's header of eight bytes.
    private static func offset(_ io: UnsafeMutablePointer<AVIOContext>, _ size: Int64) -> Int64? {
        var at: Int64 = 8
        for _ in 0..<chunkLimit {
            guard size - at >= 12, avio_seek(io, at, SEEK_SET) == at else { return nil }
            let type = avio_rb32(io), length = Int64(bitPattern: avio_rb64(io))
            at += 12
            // A data chunk of length −1 extends to the end of the file, so no packet table follows. Any other chunk must fit into the file.
            guard length >= 0, length <= size - at else { return nil }
            // The chunk type "pakt" of a packet table.
            if type == 0x7061_6B74 { return length >= 24 ? at : nil }
            at += length
        }
        return nil
    }
}
