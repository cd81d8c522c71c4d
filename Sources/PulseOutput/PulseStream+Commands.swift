import CPulse
import PlaybackEngine

/// The replacement of audio that was written, the volume and the role. On the engine's thread, without the lock.
extension PulseStream {
    /// The longest device latency, in seconds, at which audio can be replaced early enough without rewinding.
    private static let replaceableLatency = 0.025
    /// If the sink has at least this much audio buffered, in seconds, the server will not read the stream within that time.
    private static let readingMargin = 0.003

    /// Suspends writing while the server plays what it has read. Resets the source to the first frame that can be replaced, and returns its number.
    /// Nil if the device's own buffer is long and cannot be rewound: its content can be taken back only from a stopped stream.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = mainloop.withLock { () -> (Double?, Bool) in
            rewinder.end()
            guard isStarted, !playhead.isInUnderrun, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
            return (Double(timing.configured_sink_usec) / 1e6, self.canRewind)
        }
        guard let latency, latency <= Self.replaceableLatency || canRewind else { return nil }
        // The server reads in blocks. Immediately before a block there is no time to replace frames, so wait until it has been read.
        for attempt in 0..<3 {
            guard let taken = try takenNow() else { return nil }
            if latency > Self.replaceableLatency, let start = mainloop.withLock({ beginRewinding(read: taken.frame) }) { return start }
            if attempt == 2 || taken.latency >= Self.readingMargin || latency < 2 * Self.readingMargin {
                return mainloop.withLock {
                    source.reset(to: taken.frame)
                    return taken.frame
                }
            }
            _ = mainloop.wait(until: clock.now + taken.latency + 0.000_5) { failure != nil }
        }
        return nil
    }

    /// Suspends writing and requests the server's read index. Nil, with writing resumed, if the server has read everything or does not play.
    func takenNow() throws(PlaybackError) -> (frame: Int64, latency: Double)? {
        try perform { () throws(PlaybackError) in
            content.suspend()
            replies.expectReadIndex()
            try requestTiming(.splice)
            return true
        }
        return mainloop.withLock {
            guard let taken = replies.readIndex, taken.isPlaying, taken.frame < content.writtenFrames else {
                release()
                return nil
            }
            return (taken.frame, taken.latency)
        }
    }

    /// Replaces the frames that the server has not taken, from `frame` on, by those of the source.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        if let read = mainloop.withLock({ rewinder.readFrame }) { return try replaceRewinding(from: frame, read: read) }
        try perform { () throws(PlaybackError) in
            replies.expectReadIndex()
            content.setEnd(frame)
            // Flush and write are sent without a pause, so that the server finds the new audio in place of the old.
            try mainloop.send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            content.resume()
            pull(atLeast: format.sampleRate / 4)
            try requestTiming(.splice)
            return true
        }
        return mainloop.withLock {
            // The read index counts even if the server had an underrun between flush and write, and does not play now.
            guard let taken = replies.readIndex?.frame, taken > frame else { return frame }
            if let start = beginRewinding(read: taken) { return start }
            content.suspend()
            content.setEnd(taken)
            source.reset(to: taken)
            return taken
        }
    }

    /// Resumes writing. Under the lock.
    func release() {
        content.resume()
        pull()
    }

    /// Sends the stream's role to the server (R-LNX-20). Does not wait for the reply.
    func setRole(_ role: StreamRole) {
        mainloop.withLock {
            guard isUsable else { return }
            let properties = pa_proplist_new()
            defer { pa_proplist_free(properties) }
            pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
            try? mainloop.send(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
        }
    }

    /// Sets the gain, 0…1, and the mute. Does not wait for the reply.
    func setVolume(_ gain: Float, isMuted: Bool) {
        mainloop.withLock {
            guard isUsable else { return }
            let index = pa_stream_get_index(stream)
            guard index != UInt32.max else { return }
            volume.set(gain, isMuted: isMuted, stream: index, hasFlatVolume: device.found.hasFlatVolume)
        }
    }
}
