import PlaybackEngine

@testable import FFmpegMedia

/// The bytes of a server that does not support seeking.
final class SequentialBytes: ByteSource {
    private let bytes: [UInt8]
    private(set) var offset: Int64 = 0
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var length: Int64? { nil }
    var isRemote: Bool { true }
    var isLive: Bool { false }
    var isSeekable: Bool { false }
    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let count = min(buffer.count, 1000, bytes.count - Int(offset))
        buffer.copyBytes(from: bytes[Int(offset)..<(Int(offset) + count)])
        offset += Int64(count)
        return count
    }
}
