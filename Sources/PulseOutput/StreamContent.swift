/// The written frames of a stream, and their byte offsets.
///
/// Byte n of the stream is byte n of the output frames from `base` on: the server waits in an underrun, so its read index is exactly what it has
/// taken. Only after rewinding may silence follow the new frames (`paddingEnd`); what the server takes of this silence must not count, so `base` is
/// decreased. Needs the lock.
final class StreamContent {
    let bytesPerFrame: Int
    /// The frame at the first byte.
    private(set) var base: Int64
    private(set) var writtenFrames: Int64
    /// The end of the silence after the written frames, as a byte offset; nil if no silence follows.
    private var paddingEnd: Int64?
    /// Whether nothing is written: during a flush, and from `PulseStream.hold` until the replacement.
    private(set) var isSuspended = false

    init(base: Int64, bytesPerFrame: Int) {
        self.base = base
        self.bytesPerFrame = bytesPerFrame
        writtenFrames = base
    }

    /// The end of the last written frame, in bytes.
    var writeOffset: Int64 { (writtenFrames - base) * Int64(bytesPerFrame) }

    /// The frame at a byte offset of the stream.
    func frame(at index: Int64) -> Int64 { base + index / Int64(bytesPerFrame) }

    // MARK: Writing

    func suspend() { isSuspended = true }
    func resume() { isSuspended = false }

    func wrote(_ count: Int) { writtenFrames += Int64(count) }

    /// Moves the end back to `frame`, from which on frames will be written again.
    func setEnd(_ frame: Int64) { writtenFrames = frame }

    // MARK: Silence

    var isPadded: Bool { paddingEnd != nil }

    /// Called when silence was written after the last frame.
    func pad(byteCount: Int) { paddingEnd = writeOffset + Int64(byteCount) }

    /// Forgets the silence, because other audio replaces it.
    func discardPadding() { paddingEnd = nil }

    /// Called when frames were written over the silence. Returns whether a part of the silence still follows.
    func shortenPadding() -> Bool {
        guard let paddingEnd else { return false }
        if writeOffset >= paddingEnd { self.paddingEnd = nil }
        return isPadded
    }

    /// Called when silence of `count` frames was heard: the next frame is written after it.
    func skipPadding(_ count: Int64) { base -= count }

    /// Called when the server has stopped: the silence that it has taken does not count, and the next frame is written after this silence.
    /// - Parameters:
    ///   - readIndex: The server's read index, in bytes.
    ///   - isEmptied: Whether a flush has removed the rest of the silence.
    func skipPadding(to readIndex: Int64, isEmptied: Bool) {
        guard let paddingEnd else { return }
        base -= max(0, readIndex / Int64(bytesPerFrame) - (writtenFrames - base))
        if isEmptied || readIndex >= paddingEnd { self.paddingEnd = nil }
    }
}
