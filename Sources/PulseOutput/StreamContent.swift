/// The written frames of a PulseAudio stream, and their byte offsets in the stream.
///
/// Byte n of a PulseAudio stream is byte n of the output frames, counted from the frame `base`. The server inserts no bytes: in an underrun, it waits
/// for frames. Therefore the server's read index is exactly the number of bytes of the stream that it has taken.
///
/// The stream contains other bytes in one case: if a device is rewound and the new frames do not replace all of the old audio, silence follows the
/// new frames (`paddingEnd`). The silence that the server takes must not count as frames. So `base` is decreased by the number of silent frames that
/// the server has taken.
///
/// All calls of `StreamContent` need the lock of libpulse's mainloop.
final class StreamContent {
    let bytesPerFrame: Int
    /// The number of the frame at the stream's first byte. If the server has taken silence, `base` is decreased by the length of the silence, in
    /// frames.
    private(set) var base: Int64
    /// The number of the frame after the last written frame.
    private(set) var writtenFrames: Int64
    /// The byte offset in the stream of the end of the silence after the last written frame; nil if no silence follows.
    private var paddingEnd: Int64?
    /// Whether the writing of frames is suspended: during a flush, and after `PulseStream.hold` until the frames have been replaced.
    private(set) var isSuspended = false

    init(base: Int64, bytesPerFrame: Int) {
        self.base = base
        self.bytesPerFrame = bytesPerFrame
        writtenFrames = base
    }

    /// The byte offset in the stream of the end of the last written frame.
    var writeOffset: Int64 { (writtenFrames - base) * Int64(bytesPerFrame) }

    /// Returns the number of the frame at the byte offset `index` of the stream.
    func frame(at index: Int64) -> Int64 { base + index / Int64(bytesPerFrame) }

    // MARK: Writing

    func suspend() { isSuspended = true }
    func resume() { isSuspended = false }

    /// Records that `count` frames have been written to the server.
    func wrote(_ count: Int) { writtenFrames += Int64(count) }

    /// Makes `frame` the next frame to write: the frames from `frame` on will be written again.
    func setEnd(_ frame: Int64) { writtenFrames = frame }

    // MARK: Silence

    /// Whether silence (padding) follows the last written frame.
    var isPadded: Bool { paddingEnd != nil }

    /// Records that silence (padding) has been written after the last frame.
    func pad(byteCount: Int) { paddingEnd = writeOffset + Int64(byteCount) }

    /// Records that the silence after the last frame no longer exists, because other audio replaces the silence.
    func discardPadding() { paddingEnd = nil }

    /// Updates `paddingEnd` after frames have been written over the silence. Returns whether a part of the silence still follows the last frame.
    func shortenPadding() -> Bool {
        guard let paddingEnd else { return false }
        if writeOffset >= paddingEnd { self.paddingEnd = nil }
        return isPadded
    }

    /// Moves `base` back by `count` frames, because silence of `count` frames has been heard after the last written frame. The heard silence then
    /// does not count as frames, and the next frame is written after the heard silence.
    func skipPadding(_ count: Int64) { base -= count }

    /// Moves `base` back by the length of the silence that the server has taken, so that this silence does not count as frames. Called after the
    /// server has stopped. The next frame is written after the taken silence.
    ///
    /// - Parameters:
    ///   - readIndex: The server's read index: a byte offset in the stream.
    ///   - isEmptied: Whether a flush has removed the rest of the silence from the server's buffer.
    func skipPadding(to readIndex: Int64, isEmptied: Bool) {
        guard let paddingEnd else { return }
        base -= max(0, readIndex / Int64(bytesPerFrame) - (writtenFrames - base))
        if isEmptied || readIndex >= paddingEnd { self.paddingEnd = nil }
    }
}
