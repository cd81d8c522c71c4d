/// The frames of a stream that have been written, and their positions in the stream.
///
/// Byte n of the stream is byte n of the output frames, counted from `base`: only frames of the source are written, and in an underrun the server
/// waits instead of skipping. So the server's read index is exactly the number of frames that it has taken. There is one exception: if a device is
/// rewound and the new frames do not replace all of the old audio, silence follows (`paddingEnd`). The silence that the server takes is excluded by
/// moving `base`.
///
/// All calls need the mainloop's lock.
final class StreamContent {
    let bytesPerFrame: Int
    /// The frame number of the stream's first byte. Decreased by the silence that the server has taken.
    private(set) var base: Int64
    /// The frame after the last one written.
    private(set) var writtenFrames: Int64
    /// The stream's byte at which the silence after the last written frame ends; nil without silence.
    private var paddingEnd: Int64?
    /// Whether writing is suspended: during a flush, and from `hold` until the replacement.
    private(set) var isSuspended = false

    init(base: Int64, bytesPerFrame: Int) {
        self.base = base
        self.bytesPerFrame = bytesPerFrame
        writtenFrames = base
    }

    /// The stream's byte after the last written frame.
    var writeOffset: Int64 { (writtenFrames - base) * Int64(bytesPerFrame) }

    /// Returns the frame at an index of the server, in bytes.
    func frame(at index: Int64) -> Int64 { base + index / Int64(bytesPerFrame) }

    // MARK: Writing

    func suspend() { isSuspended = true }
    func resume() { isSuspended = false }

    /// Records frames that were written.
    func wrote(_ count: Int) { writtenFrames += Int64(count) }

    /// Continues at another frame: the frames from it on will be written again.
    func setEnd(_ frame: Int64) { writtenFrames = frame }

    // MARK: Silence

    /// Whether silence follows the last written frame.
    var isPadded: Bool { paddingEnd != nil }

    /// Records silence that was written after the last frame.
    func pad(byteCount: Int) { paddingEnd = writeOffset + Int64(byteCount) }

    /// Discards the record of the silence, because other audio replaces it.
    func discardPadding() { paddingEnd = nil }

    /// Updates the record after frames have replaced all or part of the silence. Returns whether a part remains.
    func shortenPadding() -> Bool {
        guard let paddingEnd else { return false }
        if writeOffset >= paddingEnd { self.paddingEnd = nil }
        return isPadded
    }

    /// Excludes silence that has been heard from the frame count: the next frame follows `count` frames after the last written one.
    func skipPadding(_ count: Int64) { base -= count }

    /// Excludes the silence that the server has taken from the frame count. The server has stopped after it, and the next frame follows there.
    func skipPadding(to readIndex: Int64, isEmptied: Bool) {
        guard let paddingEnd else { return }
        base -= max(0, readIndex / Int64(bytesPerFrame) - (writtenFrames - base))
        if isEmptied || readIndex >= paddingEnd { self.paddingEnd = nil }
    }
}
