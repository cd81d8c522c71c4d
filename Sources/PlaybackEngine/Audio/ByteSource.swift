package import Platform

/// The source of the bytes of a medium (a file or a URL that is played). Only one thread at a time uses a byte source.
///
/// FFmpeg reads a medium only through a `ByteSource`. It never receives a path or a URL to interpret, so a file's name can never mean a protocol.
package protocol ByteSource: AnyObject {
    /// Reads up to `buffer.count` bytes of the medium at the current offset, and returns their number; 0 at the end of the medium.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(PlaybackError) -> Int
    /// Sets the byte offset of the next `read`. The byte offset may lie beyond the end of the medium.
    func seek(to offset: Int64) throws(PlaybackError)
    /// The offset of the byte of the medium that the next `read` returns first.
    var offset: Int64 { get }
    /// The current length of the medium, in bytes; nil if it is unknown.
    var length: Int64? { get }
    /// The number of the medium's bytes that are really stored, without the holes of a sparse file; nil if it is unknown.
    var storedLength: Int64? { get }
    /// Whether the medium's bytes come from a server, so that a seek costs a request.
    var isRemote: Bool { get }
    var isSeekable: Bool { get }
    /// Whether the server says that the medium is a live stream, which has no end.
    var isLive: Bool { get }
    /// Returns whether the bytes of the medium in `range` can be read without waiting for a server.
    func isPresent(_ range: Range<Int64>) -> Bool
    /// Copies the bytes from `offset` on that are present, at most as many as `buffer` holds, and returns their number; 0 if the byte at `offset` is
    /// not present. Changes neither the offset of the next `read` nor the order in which bytes are transferred.
    func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int
    /// Whether transferred bytes are kept, so that reading them again needs no request.
    var keepsBytes: Bool { get }
    /// Announces that the next reads lie in `range`; nil announces that they may lie anywhere. While the reads lie in `range`, one request asks for
    /// the rest of the range, and no byte after the range is transferred.
    func setNeeded(_ range: Range<Int64>?)
    /// The greatest gap before the next needed byte, in bytes, that is transferred too, because a new request would take longer.
    var readThroughLimit: Int64 { get }
    /// Sets the function that receives the bytes that the source has transferred but does not return from `read`: bytes between two reads, and the
    /// rest of a response. The second argument is the offset of the first of these bytes. The function is called during a call of `read`.
    func observeSkipped(_ observer: @escaping (UnsafeRawBufferPointer, Int64) -> Void)
    /// Ends the opening of the medium. Until then, only the bytes that the reader has asked for are transferred; from then on, also the bytes ahead
    /// of the reader.
    func finishOpening()
    /// Sets the time from which on `read` fails with `timedOut` if it has to wait for bytes. Only `BufferedSource` implements this.
    func setDeadline(_ deadline: HostTime)
    /// Notes that the bytes read so far have given audio, so that the reading goes on. Only `BudgetedSource` in FFmpegMedia uses it.
    func noteProgress()
}

extension ByteSource {
    package var storedLength: Int64? { nil }
    package func isPresent(_ range: Range<Int64>) -> Bool { !isRemote }
    package func copyPresent(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
    package var keepsBytes: Bool { false }
    package func setNeeded(_ range: Range<Int64>?) {}
    package var readThroughLimit: Int64 { 0 }
    package func observeSkipped(_ observer: @escaping (UnsafeRawBufferPointer, Int64) -> Void) {}
    package func finishOpening() {}
    package func setDeadline(_ deadline: HostTime) {}
    package func noteProgress() {}
    /// Whether the medium is a live stream or may be one, because its server states no length. The bytes of such a medium may arrive only as fast as
    /// they are played.
    package var mayBeLive: Bool { isLive || isRemote && length == nil }
    /// The number of the medium's bytes that are really stored, at most the medium's current length; nil if it is unknown.
    package var presentStoredLength: Int64? { storedLength.map { min($0, length ?? $0) } }
}
