import PlaybackEngine

/// The source of a medium's bytes. Confined to the reader's thread.
///
/// FFmpeg sees only this source. It never receives a path or a URL to interpret, so that a file's name can never mean a protocol.
protocol ByteSource: AnyObject {
    /// Reads up to `buffer.count` bytes at the current offset; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int
    /// Sets the offset, which may lie beyond the end.
    func seek(to offset: Int64) throws(PlaybackError)
    /// The offset of the byte that the next `read` begins with.
    var offset: Int64 { get }
    /// The current length in bytes; nil if it is unknown.
    var length: Int64? { get }
    /// The bytes that are really stored, without a file's holes; nil if unknown.
    var storedLength: Int64? { get }
    /// Whether a seek costs a request.
    var isRemote: Bool { get }
    /// Whether `seek` is possible.
    var isSeekable: Bool { get }
}

extension ByteSource {
    var storedLength: Int64? { nil }
    /// The stored length, at most the present one; nil if unknown.
    var presentStoredLength: Int64? { storedLength.map { min($0, length ?? $0) } }
}
