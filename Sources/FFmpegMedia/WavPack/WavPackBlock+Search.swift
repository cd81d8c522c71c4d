import CFFmpeg
import Glibc
import PlaybackEngine

extension WavPackBlock {
    /// Seeks to the next WavPack block in `io`, after an unreadable header; returns false if there is no further block.
    static func seekToNext(_ io: IOContext) throws(PlaybackError) -> Bool {
        guard let raw = io.raw else { return false }
        let overlap = WavPackBlock.headerSize - 1
        var start = avio_seek(raw, 0, SEEK_CUR) - Int64(overlap), bytes: [UInt8] = []
        guard start >= 0, avio_seek(raw, start, SEEK_SET) == start else { return false }
        var buffer = [UInt8](repeating: 0, count: 32_768 - overlap)
        while true {
            if io.interrupt.isRaised { throw .cancelled }
            let count = avio_read(raw, &buffer, Int32(buffer.count))
            guard count > 0 else { return false }
            bytes += buffer[..<Int(count)]
            let offset = bytes.withUnsafeBufferPointer { bytes in
                bytes.indices.dropLast(overlap).first { WavPackBlock(UnsafeBufferPointer(rebasing: bytes[$0...])) != nil }
            }
            if let offset { return avio_seek(raw, start + Int64(offset), SEEK_SET) == start + Int64(offset) }
            let passed = max(0, bytes.count - overlap)
            bytes.removeFirst(passed)
            start += Int64(passed)
        }
    }
}
