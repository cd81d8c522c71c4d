import PlaybackEngine

@testable import FFmpegMedia

/// The bytes of a server that states a length, which may be wrong.
final class ClaimedBytes: ByteSource {
    private let bytes: [UInt8]
    private let stated: Int64
    private(set) var offset: Int64 = 0
    private let limit: Int64
    init(_ bytes: [UInt8], length: Int64, limit: Int64 = 65_536) {
        self.bytes = bytes
        self.limit = limit
        stated = length
    }

    var length: Int64? { stated }
    var isRemote: Bool { true }
    var isLive: Bool { false }
    var isSeekable: Bool { true }
    func seek(to offset: Int64) throws(PlaybackError) { self.offset = offset }
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let count = max(0, min(buffer.count, Int(limit - min(offset, limit))))
        for place in 0..<count { buffer[place] = Int(offset) + place < bytes.count ? bytes[Int(offset) + place] : 0 }
        offset += Int64(count)
        return count
    }
}
