import CPulse
import PlaybackEngine

/// The transfer of frames to the server. Under the lock.
extension PulseStream {
    /// The server requests frames.
    func serverWantsFrames() {
        pull()
        // One timing request per request for frames: at the stream's own pace, without a timer.
        if isStarted, questions.isEmpty { try? ask(.track) }
    }

    /// Moves frames from the source to the server, as many as are available and as the server accepts.
    ///
    /// - Parameter atLeast: the number of frames to send even if the server has not requested that many.
    func pull(atLeast least: Int = 0) {
        guard !isHolding, !isClosed, failure == nil, pa_stream_get_state(stream) == PA_STREAM_READY else { return }
        let before = writtenFrames
        if paddingEnd != nil, isStarted, source.writtenFrames > source.renderedFrames { skipHeardPadding() }
        while let count = writeOnce(atLeast: least - Int(writtenFrames - before)), count > 0 { writtenFrames += Int64(count) }
        guard writtenFrames > before, failure == nil else { return }
        shortenPadding()
        if isDry, isStarted { try? skipPrebuffering() }
        events?(.consumed)
    }

    /// Writes one block. Nil if the server accepts none, or there are no frames.
    func writeOnce(atLeast least: Int, atMost most: Int = .max) -> Int? {
        var room = pa_stream_writable_size(stream)
        if room == Int(bitPattern: UInt.max) { room = 0 }
        room = max(room, max(0, least) * bytesPerFrame)
        guard room >= bytesPerFrame else { return nil }
        let available = min(most, Int(source.writtenFrames - source.renderedFrames))
        var byteCount = min(room / bytesPerFrame, available) * bytesPerFrame
        guard byteCount > 0 else { return nil }
        var data: UnsafeMutableRawPointer?
        guard pa_stream_begin_write(stream, &data, &byteCount) == 0, let data else { return nil }
        let samples = data.bindMemory(to: Float.self, capacity: byteCount / MemoryLayout<Float>.stride)
        let count = source.render(into: samples, frameCount: byteCount / bytesPerFrame)
        guard count > 0 else {
            pa_stream_cancel_write(stream)
            return nil
        }
        // The offset is absolute: the frame is at its position whatever the server did to its write index.
        let offset = (writtenFrames - base) * Int64(bytesPerFrame)
        guard pa_stream_write(stream, data, count * bytesPerFrame, nil, offset, PA_SEEK_ABSOLUTE) == 0 else {
            fail(mainloop.lastError("The PulseAudio server did not accept audio."))
            return nil
        }
        return count
    }
}
