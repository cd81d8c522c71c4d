import CFFmpeg
import PlaybackEngine

/// The bytes of a source that is encrypted as a whole with AES-128 in cipher block chaining, and padded to whole blocks (RFC 8216, section 4.3.2.4).
final class DecryptedSource: ByteSource {
    private let base: any ByteSource
    private let context: OpaquePointer
    private var vector: [UInt8]
    /// Encrypted bytes that are not decrypted yet: an incomplete block, and a whole one that may be the last, whose padding is removed.
    private var encrypted: [UInt8] = []
    private var decrypted: ArraySlice<UInt8> = []
    private var isOver = false
    private(set) var offset: Int64 = 0

    /// The number of bytes of a block and of a key.
    static let blockSize = 16
    private static let readSize = 16_384

    /// - Parameters:
    ///   - key: The key, with 16 bytes.
    ///   - vector: The initialization vector, with 16 bytes.
    init(_ base: any ByteSource, key: [UInt8], vector: [UInt8]) throws(PlaybackError) {
        precondition(key.count == DecryptedSource.blockSize && vector.count == DecryptedSource.blockSize, "a key and a vector have 16 bytes")
        guard let context = av_aes_alloc() else { throw .outOfMemory }
        self.base = base
        self.context = context
        self.vector = vector
        guard av_aes_init(context, key, 128, 1) == 0 else { throw .outOfMemory }
    }

    deinit { av_free(UnsafeMutableRawPointer(context)) }

    var length: Int64? { nil }
    var isRemote: Bool { base.isRemote }
    var isSeekable: Bool { false }
    var isLive: Bool { false }

    func seek(to offset: Int64) throws(PlaybackError) {
        guard offset == self.offset else { throw PlaybackError(.notSeekable, "The medium does not support seeking.") }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int {
        while decrypted.isEmpty, !isOver { try decryptMore() }
        let count = min(buffer.count, decrypted.count)
        buffer.copyBytes(from: decrypted.prefix(count))
        decrypted.removeFirst(count)
        offset += Int64(count)
        return count
    }

    private func decryptMore() throws(PlaybackError) {
        let more = try base.readBlock(DecryptedSource.readSize)
        encrypted += more
        isOver = more.isEmpty
        // The last block is kept back until it is known to be the last.
        let kept = isOver ? 0 : 1
        let blocks = max(0, (encrypted.count - kept) / DecryptedSource.blockSize)
        guard blocks > 0 else { return }
        let size = blocks * DecryptedSource.blockSize
        var output = [UInt8](repeating: 0, count: size)
        av_aes_crypt(context, &output, encrypted, Int32(blocks), &vector, 1)
        encrypted.removeFirst(size)
        decrypted = output[...]
        if isOver { decrypted.removeLast(DecryptedSource.padding(of: output)) }
    }

    /// The number of bytes that were added to the last block: each has this number (RFC 5652, section 6.3). 0 if the bytes are no padding, because
    /// the resource was cut.
    private static func padding(of bytes: [UInt8]) -> Int {
        guard let last = bytes.last, (1...UInt8(blockSize)).contains(last), bytes.suffix(Int(last)).allSatisfy({ $0 == last }) else { return 0 }
        return Int(last)
    }
}
