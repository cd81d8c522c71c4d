import PlaybackEngine

/// The source of a medium's bytes. Used only by the thread of the medium's reader.
///
/// FFmpeg sees only this source. FFmpeg never receives a path or a URL to interpret, so that a file's name can never mean a protocol.
protocol ByteSource: AnyObject {
    /// Reads up to `buffer.count` bytes at the current offset, and returns their number; 0 at the end of the source.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int
    /// Sets the offset of the next `read`. The offset may lie beyond the end.
    func seek(to offset: Int64) throws(PlaybackError)
    /// The offset of the first byte that the next `read` returns.
    var offset: Int64 { get }
    /// The current length of the source, in bytes; nil if it is unknown.
    var length: Int64? { get }
    /// The number of bytes that are really stored, without the holes of a sparse file; nil if it is unknown.
    var storedLength: Int64? { get }
    /// Whether the bytes come from a server, so that a seek costs a request.
    var isRemote: Bool { get }
    /// Whether `seek` is possible.
    var isSeekable: Bool { get }
}

extension ByteSource {
    var storedLength: Int64? { nil }
    /// The number of bytes that are really stored, at most the current length; nil if it is unknown.
    var presentStoredLength: Int64? { storedLength.map { min($0, length ?? $0) } }
}
