import CPulse
import PlaybackEngine

/// The transfer of frames from the source to the PulseAudio server. The callers of the functions that transfer frames hold the lock of libpulse's
/// mainloop.
extension PulseStream {
    /// Handles the PulseAudio server's request for frames.
    func serverWantsFrames() {
        pull()
        // The timing of the stream is requested after each request of the server for frames, so that no timer is necessary.
        if isStarted, replies.isComplete { try? requestTiming(.track) }
    }

    /// Moves frames from the source to the server: as many frames as the source has and the server accepts.
    ///
    /// - Parameter least: The number of frames to send even if the server has requested fewer frames.
    func pull(atLeast least: Int = 0) {
        guard !content.isSuspended, isUsable, pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        let before = content.writtenFrames
        if content.isPadded, isStarted, source.writtenFrames > source.renderedFrames { skipHeardPadding() }
        while let count = writeOnce(atLeast: least - Int(content.writtenFrames - before)), count > 0 { content.wrote(count) }
        guard content.writtenFrames > before, failure == nil else { return }
        defer { drainIfComplete() }
        if content.shortenPadding(), isStarted { beginUnderrun(at: content.writtenFrames) }
        if playhead.isInUnderrun, isStarted { try? skipPrebuffering() }
        emit(.consumed)
    }

    /// Writes one block of at most `most` frames to the server, and returns the number of frames in the block. The block may have `least` frames even
    /// if the server has requested fewer. Returns nil if the server accepts no frames, if the source has no frames, or if the write failed.
    func writeOnce(atLeast least: Int, atMost most: Int = .max) -> Int? {
        let bytesPerFrame = content.bytesPerFrame
        var writable = pa_stream_writable_size(stream)
        if writable == Int(bitPattern: UInt.max) { writable = 0 }
        writable = max(writable, max(0, least) * bytesPerFrame)
        guard writable >= bytesPerFrame else { return nil }
        let available = min(most, Int(source.writtenFrames - source.renderedFrames))
        var byteCount = min(writable / bytesPerFrame, available) * bytesPerFrame
        guard byteCount > 0 else { return nil }
        var data: UnsafeMutableRawPointer?
        guard pa_stream_begin_write(stream, &data, &byteCount) == 0, let data else { return nil }
        let samples = data.bindMemory(to: Float.self, capacity: byteCount / MemoryLayout<Float>.stride)
        let count = source.render(into: samples, frameCount: byteCount / bytesPerFrame)
        guard count > 0 else {
            pa_stream_cancel_write(stream)
            return nil
        }
        // The write offset is an absolute byte offset in the stream. Each frame is written at its own byte offset in the stream, even if the server
        // has changed its write index.
        guard pa_stream_write(stream, data, count * bytesPerFrame, nil, content.writeOffset, PA_SEEK_ABSOLUTE) == 0 else {
            fail(connection.lastError("The PulseAudio server did not accept audio."))
            return nil
        }
        return count
    }

    /// Makes the PulseAudio server play the written frames although its buffer is not full. The server would wait for a full buffer if the
    /// environment variable PULSE_LATENCY_MSEC is set.
    func skipPrebuffering() throws(PlaybackError) {
        guard let attributes = pa_stream_get_buffer_attr(stream), attributes.pointee.prebuf > content.bytesPerFrame else { return }
        try connection.send(pa_stream_trigger(stream, pulseCommandAnswered, pointerToSelf))
    }

    // MARK: - Underruns

    /// Handles the server's event that it has read all frames of the stream (an underrun). When the event arrives, further frames may already be on
    /// the way to the server.
    func underflowed() {
        guard isStarted else { return }
        let index = pa_stream_get_underflow_index(stream)
        let frame = index < 0 ? content.writtenFrames : content.frame(at: index)
        if rewinder.takesUnderrun(at: frame) { return }
        beginUnderrun(at: min(frame, content.writtenFrames))
        emit(.underflow)
    }

    /// Records an underrun: the server has read all frames before `frame`, and has no other frames. The playhead stops after the last frame before
    /// the underrun has been heard.
    func beginUnderrun(at frame: Int64) {
        if !playhead.beginUnderrun(at: frame, owner: pointerToSelf) { underrunWasHeard() }
    }

    /// Stops the playhead, because the last frame before an underrun has been heard.
    func underrunWasHeard() {
        playhead.cancelTimer()
        guard isStarted, playhead.restAtUnderrun() else { return }
        emit(.underflow)
    }

    /// Ends the underrun of the stream, because there are frames to play again.
    func endUnderrun() {
        playhead.endUnderrun()
        playhead.renew()
        try? requestTiming(.track)
    }

    /// Handles the server's event that it has started to read the stream's frames after an underrun.
    func started() {
        // If silence follows the written frames, the server may have started to read only this silence. The underrun then ends when new frames
        // replace the silence (`skipHeardPadding`), without an event of the server.
        guard isStarted, !content.isPadded else { return }
        endUnderrun()
    }
}
