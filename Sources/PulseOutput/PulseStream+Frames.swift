import CPulse
import PlaybackEngine

/// Frames on their way from the source to the server. The callers hold the lock.
extension PulseStream {
    func serverWantsFrames() {
        pull()
        // The timing is requested after each request for frames, so that no timer is necessary.
        if isStarted, replies.isComplete { try? requestTiming(.track) }
    }

    /// Writes as many frames as the source has and the server accepts.
    /// - Parameter least: The number of frames that are sent even if the server has requested fewer.
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

    /// Writes one block, and returns its number of frames; nil if the server accepts none, the source has none, or the write failed.
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
        // The offset is absolute, because the server may have changed its write index.
        guard pa_stream_write(stream, data, count * bytesPerFrame, nil, content.writeOffset, PA_SEEK_ABSOLUTE) == 0 else {
            fail(connection.lastError("The PulseAudio server did not accept audio."))
            return nil
        }
        return count
    }

    /// Starts playback at once: with PULSE_LATENCY_MSEC, the server would wait for a full buffer.
    func skipPrebuffering() throws(PlaybackError) {
        guard let attributes = pa_stream_get_buffer_attr(stream), attributes.pointee.prebuf > content.bytesPerFrame else { return }
        try connection.send(pa_stream_trigger(stream, pulseCommandAnswered, pointerToSelf))
    }

    // MARK: - Underruns

    /// Called when the server has read all frames that it had; further ones may already be on the way.
    func underflowed() {
        guard isStarted else { return }
        let index = pa_stream_get_underflow_index(stream)
        let frame = index < 0 ? content.writtenFrames : content.frame(at: index)
        if rewinder.takesUnderrun(at: frame) { return }
        beginUnderrun(at: min(frame, content.writtenFrames))
        emit(.underflow)
    }

    /// Begins an underrun at `frame`; the playhead stops after the last frame before it has been heard.
    func beginUnderrun(at frame: Int64) {
        if !playhead.beginUnderrun(at: frame, owner: pointerToSelf) { underrunWasHeard() }
    }

    /// Called when the last frame before the underrun has been heard.
    func underrunWasHeard() {
        playhead.cancelTimer()
        guard isStarted, playhead.restAtUnderrun() else { return }
        emit(.underflow)
    }

    func endUnderrun() {
        playhead.endUnderrun()
        playhead.renew()
        try? requestTiming(.track)
    }

    /// Called when the server has started to read again after an underrun.
    func started() {
        // The server may have started to read only the silence after the frames; the underrun then ends by `skipHeardPadding`.
        guard isStarted, !content.isPadded else { return }
        endUnderrun()
    }
}
