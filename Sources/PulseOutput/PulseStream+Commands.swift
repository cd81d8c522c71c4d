import CPulse
import Platform
import PlaybackEngine

/// Commands that replace written audio, and set volume and role. The engine's thread calls these functions, without the lock.
extension PulseStream {
    /// In seconds; up to this latency of the device, written audio is replaced without rewinding.
    private static let replaceableLatency = 0.025
    /// In seconds; while the next frame that the server takes has at least this latency, the server does not read within the next 3 ms.
    private static let readingMargin = 0.003

    /// Suspends writing while the server plays what it has read, resets the source to the first frame that can be replaced, and returns this frame.
    /// Nil if audio can be replaced only after a stop: the stream does not play, the server has read everything, or the device has a long buffer
    /// (`replaceableLatency`) and cannot be rewound.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = connection.withLock { () -> (Double?, Bool) in
            rewinder.end()
            guard isStarted, !playhead.isInUnderrun, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
            return (Double(timing.configured_sink_usec) / 1e6, self.canRewind)
        }
        guard let latency, latency <= Self.replaceableLatency || canRewind else { return nil }
        // The server reads in blocks. A command directly before the reading of a block is too late, so the end of this reading is awaited.
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

    /// Suspends writing; returns the next frame that the server takes, and the time until it is heard, in seconds. If the server has read everything
    /// or does not play, returns nil, and resumes writing.
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

    /// Replaces the audio from `frame` on. Returns `frame` if the replacement is complete; otherwise a later frame, from which it has to be repeated,
    /// and writing stays suspended.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        if let read = connection.withLock({ rewinder.readFrame }) { return try replaceRewinding(from: frame, read: read) }
        try perform { () throws(PlaybackError) in
            replies.expectReadIndex()
            content.setEnd(frame)
            // The commands are sent together, so that the server gets the new audio before it reads again.
            try connection.send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            content.resume()
            pull(atLeast: format.sampleRate / 4)
            try requestTiming(.splice)
            return true
        }
        return connection.withLock {
            // The read index is valid even after an underrun between the flush and the write.
            guard let taken = replies.readIndex?.frame, taken > frame else { return frame }
            if let start = beginRewinding(read: taken) { return start }
            content.suspend()
            content.setEnd(taken)
            source.reset(to: taken)
            return taken
        }
    }

    /// Resumes writing. The caller holds the lock.
    func release() {
        content.resume()
        pull()
    }

    /// Sends the role (R-LNX-20) without waiting for the reply.
    func setRole(_ role: StreamRole) {
        connection.withLock {
            guard isUsable else { return }
            let properties = pa_proplist_new()
            defer { pa_proplist_free(properties) }
            pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
            try? connection.send(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
        }
    }

    /// Begins a change of the volume, 0 to 1, and does not wait.
    func setVolume(_ gain: Float, isMuted: Bool) {
        connection.withLock {
            guard isUsable else { return }
            let index = pa_stream_get_index(stream)
            guard index != UInt32.max else { return }
            volume.set(gain, isMuted: isMuted, stream: index, hasFlatVolume: device.found.hasFlatVolume, isHeard: isStarted && !isPipeWire)
        }
    }
}
