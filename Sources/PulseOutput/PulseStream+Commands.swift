import CPulse
import Platform
import PlaybackEngine

/// The commands of a PulseAudio stream that replace written audio, and those that set the volume and the role of the stream. The engine's thread
/// calls them, without the lock of libpulse's mainloop.
extension PulseStream {
    /// The maximum device latency, in seconds, at which written audio is replaced without rewinding the device.
    private static let replaceableLatency = 0.025
    /// A safety margin in seconds. If the output device has more audio than `readingMargin`, the server does not read from the stream within the next
    /// 3 ms.
    private static let readingMargin = 0.003

    /// Prepares a replacement of written frames: suspends the writing of frames while the server plays the frames that it has read. Resets the source
    /// to the first frame that can be replaced, and returns its number. Returns nil if the stream does not play, if the server has read all written
    /// frames, or if the device has a long buffer (of more than `replaceableLatency`) and cannot be rewound. Frames in such a buffer can be replaced
    /// only after a stop of the stream.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = connection.withLock { () -> (Double?, Bool) in
            rewinder.end()
            guard isStarted, !playhead.isInUnderrun, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
            return (Double(timing.configured_sink_usec) / 1e6, self.canRewind)
        }
        guard let latency, latency <= Self.replaceableLatency || canRewind else { return nil }
        // The PulseAudio server reads the stream in blocks. A command that is sent immediately before the server reads a block arrives too late to
        // replace the block's frames. If the server is about to read a block, the loop waits until the block has been read.
        for attempt in 0..<3 {
            guard let taken = try takenNow() else { return nil }
            if latency > Self.replaceableLatency, let start = connection.withLock({ beginRewinding(read: taken.frame) }) { return start }
            if attempt == 2 || taken.latency >= Self.readingMargin || latency < 2 * Self.readingMargin {
                return connection.withLock {
                    source.reset(to: taken.frame)
                    return taken.frame
                }
            }
            _ = connection.wait(until: clock.now + taken.latency + 0.000_5) { failure != nil }
        }
        return nil
    }

    /// Suspends the writing of frames. Requests from the server the number of the next frame that it takes, and the latency from the reading of a
    /// frame until the frame is heard, in seconds. Returns nil, and resumes the writing of frames, if the server has read all written frames or does
    /// not play.
    func takenNow() throws(PlaybackError) -> (frame: Int64, latency: Double)? {
        try perform { () throws(PlaybackError) in
            content.suspend()
            replies.expectReadIndex()
            try requestTiming(.splice)
            return true
        }
        return connection.withLock {
            guard let taken = replies.readIndex, taken.isPlaying, taken.frame < content.writtenFrames else {
                release()
                return nil
            }
            return (taken.frame, taken.latency)
        }
    }

    /// Replaces the written frames from `frame` on by new frames of the source, except for frames that the server has already taken.
    ///
    /// - Returns: `frame` if the replacement is complete. Otherwise the number of a later frame: the replacement has to be repeated from this frame,
    ///   and the writing of frames is suspended.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        if let read = connection.withLock({ rewinder.readFrame }) { return try replaceRewinding(from: frame, read: read) }
        try perform { () throws(PlaybackError) in
            replies.expectReadIndex()
            content.setEnd(frame)
            // The flush of the stream and the write of new frames are sent without a pause, so that the server receives the new audio before it reads
            // again.
            try connection.send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            content.resume()
            pull(atLeast: format.sampleRate / 4)
            try requestTiming(.splice)
            return true
        }
        return connection.withLock {
            // The server's read index is valid even if the server had an underrun between the flush and the write, and does not play now.
            guard let taken = replies.readIndex?.frame, taken > frame else { return frame }
            if let start = beginRewinding(read: taken) { return start }
            content.suspend()
            content.setEnd(taken)
            source.reset(to: taken)
            return taken
        }
    }

    /// Resumes the writing of frames to the server. The caller holds libpulse's lock.
    func release() {
        content.resume()
        pull()
    }

    /// Sends the role of the stream (music, for example) to the PulseAudio server (R-LNX-20). `setRole` does not wait for the server's reply.
    func setRole(_ role: StreamRole) {
        connection.withLock {
            guard isUsable else { return }
            let properties = pa_proplist_new()
            defer { pa_proplist_free(properties) }
            pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
            try? connection.send(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
        }
    }

    /// Sets the gain, from 0 to 1, and the mute of the stream. `setVolume` does not wait for the server's reply.
    func setVolume(_ gain: Float, isMuted: Bool) {
        connection.withLock {
            guard isUsable else { return }
            let index = pa_stream_get_index(stream)
            guard index != UInt32.max else { return }
            volume.set(gain, isMuted: isMuted, stream: index, hasFlatVolume: device.found.hasFlatVolume, isHeard: isStarted && !isPipeWire)
        }
    }
}
