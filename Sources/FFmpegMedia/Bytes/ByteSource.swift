import PlaybackEngine

/// Where a medium's bytes come from. Confined to the reader's thread.
///
/// FFmpeg sees only this: it never gets a path or a URL to interpret, so that a file's name can never mean a protocol.
protocol ByteSource: AnyObject {
    /// Reads up to `buffer.count` bytes at the present place. 0 is the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int
    /// Goes to byte `offset`, which may lie behind the end.
    func seek(to offset: Int64) throws(PlaybackError)
    /// The byte that the next `read` begins with.
    var offset: Int64 { get }
    /// The present length, nil where unknown.
    var length: Int64? { get }
    /// The bytes that are really there, without a file's holes; nil where unknown.
    var storedLength: Int64? { get }
    /// Whether going to another place costs a request.
    var isRemote: Bool { get }
    /// Whether `seek` works.
    var isSeekable: Bool { get }
}

extension ByteSource {
    var storedLength: Int64? { nil }
}
