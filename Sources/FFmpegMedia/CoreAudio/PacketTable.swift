import CFFmpeg

/// The packet table of a Core Audio file ("Packet Table Chunk" of Apple's specification), read here because FFmpeg only adds the encoder's frames to
/// the length.
struct PacketTable: Equatable {
    let validFrames: Int64
    let primingFrames: Int64
    let remainderFrames: Int64

    /// The range of the recording, in frames (ticks of the time base). Nil if the table states no frames of the encoder, because some such tables
    /// count whole packets and cannot be trusted.
    var window: RecordingWindow? {
        guard primingFrames > 0 || remainderFrames > 0 else { return nil }
        return RecordingWindow(origin: primingFrames, end: primingFrames + validFrames, media: primingFrames + validFrames + remainderFrames)
    }

    private static let chunkLimit = 10_000

    /// Reads the table, and restores the offset of `io`. Returns nil without a table, or if its numbers are implausible.
    init?(_ io: UnsafeMutablePointer<AVIOContext>) {
        let before = avio_seek(io, 0, SEEK_CUR), size = avio_size(io)
        guard before >= 0, size > 0 else { return nil }
        defer { avio_seek(io, before, SEEK_SET) }
        guard let at = PacketTable.offset(io, size), avio_seek(io, at, SEEK_SET) == at else { return nil }
        avio_skip(io, 8)
        validFrames = Int64(bitPattern: avio_rb64(io))
        primingFrames = Int64(Int32(bitPattern: avio_rb32(io)))
        remainderFrames = Int64(Int32(bitPattern: avio_rb32(io)))
        // No encoder adds 2²⁰ frames or more.
        let delays: Range<Int64> = 0..<(1 << 20)
        guard avio_feof(io) == 0, (1..<(1 << 48)).contains(validFrames), delays.contains(primingFrames), delays.contains(remainderFrames) else {
            return nil
        }
    }

    /// The offset of the table's content; the first chunk follows the header of eight bytes.
    private static func offset(_ io: UnsafeMutablePointer<AVIOContext>, _ size: Int64) -> Int64? {
        var at: Int64 = 8
        for _ in 0..<chunkLimit {
            guard size - at >= 12, avio_seek(io, at, SEEK_SET) == at else { return nil }
            let type = avio_rb32(io), length = Int64(bitPattern: avio_rb64(io))
            at += 12
            // A data chunk of length −1 extends to the end of the file.
            guard length >= 0, length <= size - at else { return nil }
            // The type is "pakt".
            if type == 0x7061_6B74 { return length >= 24 ? at : nil }
            at += length
        }
        return nil
    }
}
