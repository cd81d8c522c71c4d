import CPulse
import Platform
import PlaybackEngine

/// The replacement of audio that has been written to the server, and the volume and the role of the PulseAudio stream. The engine's thread calls the
/// commands of a `PulseStream`, without the lock.
extension PulseStream {
    /// The longest device latency, in seconds, at which written audio can be replaced early enough without rewinding the device.
    private static let replaceableLatency = 0.025
    /// A duration in seconds: if PulseAudio's sink has at least this much audio buffered, the server will not read from the stream within this
    /// duration.
    private static let readingMargin = 0.003

    /// Suspends the writing of frames while the server plays the frames that it has read. Resets the source of frames to the first frame that can be
    /// replaced, and returns the number of this frame. Returns nil if the device's own buffer is long and the device cannot be rewound: frames in
    /// that buffer can be replaced only after the stream has been stopped.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = connection.withLock { () -> (Double?, Bool) in
            rewinder.end()
            guard isStarted, !playhead.isInUnderrun, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
            return (Double(timing.configured_sink_usec) / 1e6, self.canRewind)
        }
        guard let latency, latency <= Self.replaceableLatency || canRewind else { return nil }
        // The PulseAudio server reads the stream in blocks. Immediately before the server reads a block there is no time to replace its frames, so
        // wait until the server has read the block.
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

    /// Suspends the writing of frames, and requests the number of the next frame that the server takes, with the latency in seconds. Returns nil,
    /// with the writing of frames resumed, if the server has read all frames or does not play.
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

    /// Replaces the frames that the server has not taken, from `frame` on, by new frames of the source.
    ///
    /// - Returns: The first frame that still has to be replaced, with writing of frames suspended; `frame` if the replacement is complete.
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

    /// Resumes the writing of frames to the server. The caller of `PulseStream.release` holds libpulse's lock.
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
            volume.set(gain, isMuted: isMuted, stream: index, hasFlatVolume: device.found.hasFlatVolume)
        }
    }
}
