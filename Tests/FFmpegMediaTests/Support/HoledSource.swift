import Glibc
import PlaybackEngine

@testable import FFmpegMedia

/// The first bytes of a medium, followed by zeros up to a claimed length: a sparse file, or a server that sends zeros without end. It counts the
/// bytes that are read.
final class HoledSource: ByteSource {
    private let bytes: [UInt8]
    let isRemote: Bool
    let length: Int64?
    /// The interrupt that a read of zeros raises; nil if it raises none.
    var interrupt: Interrupt?
    private(set) var offset: Int64 = 0
    private(set) var count: Int64 = 0

    init(_ bytes: [UInt8], length: Int64 = 1 << 50, isRemote: Bool) {
        self.bytes = bytes
        self.length = length
        self.isRemote = isRemote
    }

    var storedLength: Int64? { isRemote ? nil : Int64(bytes.count) }
    var isLive: Bool { false }
    var isSeekable: Bool { true }
    func seek(to offset: Int64) throws(PlaybackError) { self.offset = max(0, offset) }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        let size = Int(max(0, min(Int64(buffer.count), (length ?? 0) - offset)))
        guard size > 0, let start = buffer.baseAddress else { return 0 }
        memset(start, 0, size)
        if offset < Int64(bytes.count) {
            let part = bytes[Int(offset)...].prefix(size)
            buffer.copyBytes(from: part)
        } else {
            interrupt?.raise()
        }
        offset += Int64(size)
        count += Int64(size)
        return size
    }
}
