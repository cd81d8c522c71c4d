import CPulse
import PlaybackEngine

/// Commands of the engine, on its own thread, without the lock.
extension PulseStream {
    /// Starts or resumes the stream.
    func start() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard !isStarted else { return false }
            isStarted = true
            pull()
            try send(pa_stream_cork(stream, 0, pulseCommandAnswered, pointerToSelf))
            try skipPrebuffering()
            try ask(.start)
            return true
        }
    }

    /// Stops the stream, and keeps its buffer.
    func stop() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard isStarted else { return false }
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try ask(.stop)
            return true
        }
    }

    /// Stops the stream and discards the frames that the server has not taken. Resets the source to the first of them, and returns its number.
    func flush() throws(PlaybackError) -> Int64 {
        // The three commands are sent together and the server replies in order, so the last reply describes the flushed stream.
        try perform { () throws(PlaybackError) in
            isHolding = true
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            try ask(.flush)
            return true
        }
        return try mainloop.withLock { () throws(PlaybackError) in
            guard let landingFrame else { throw .pulse(Int32(PA_ERR_NODATA.rawValue), "The PulseAudio server did not report its position.") }
            writtenFrames = landingFrame
            source.reset(to: landingFrame)
            isHolding = false
            return landingFrame
        }
    }

    /// The longest device latency, in seconds, at which audio can be replaced early enough without rewinding.
    private static let replaceableLatency = 0.025
    /// If the sink has at least this much audio buffered, in seconds, the server will not read the stream within that time.
    private static let readingMargin = 0.003

    /// Suspends writing while the server plays what it has read. Resets the source to the first frame that can be replaced, and returns its number.
    /// Nil if the device's own buffer is long and cannot be rewound: its content can be taken back only from a stopped stream.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = mainloop.withLock { () -> (Double?, Bool) in
            rewound = nil
            guard isStarted, !isDry, failure == nil, !isClosed, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
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
            isHolding = true
            takenWhileHeld = nil
            try ask(.splice)
            return true
        }
        return mainloop.withLock {
            guard let taken = takenWhileHeld, taken.isPlaying, taken.frame < writtenFrames else {
                release()
                return nil
            }
            return (taken.frame, taken.latency)
        }
    }

    /// Replaces the frames that the server has not taken, from `frame` on, by those of the source.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        if let read = mainloop.withLock({ rewound }) { return try replaceRewinding(from: frame, read: read) }
        try perform { () throws(PlaybackError) in
            takenWhileHeld = nil
            writtenFrames = frame
            // Flush and write are sent without a pause, so that the server finds the new audio in place of the old.
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            isHolding = false
            pull(atLeast: format.sampleRate / 4)
            try ask(.splice)
            return true
        }
        return mainloop.withLock {
            // The read index counts even if the server had an underrun between flush and write, and does not play now.
            guard let taken = takenWhileHeld?.frame, taken > frame else { return frame }
            if let start = beginRewinding(read: taken) { return start }
            isHolding = true
            writtenFrames = taken
            source.reset(to: taken)
            return taken
        }
    }

    /// Resumes writing. Under the lock.
    func release() {
        isHolding = false
        pull()
    }

    /// Sends `commands` and waits for the reply to the last timing request. `commands` returns whether there is anything to wait for.
    func perform(_ commands: () throws(PlaybackError) -> Bool) throws(PlaybackError) {
        let deadline = clock.now + Self.patience
        let ticket = try mainloop.withLock { () throws(PlaybackError) -> Int? in
            if let failure { throw failure }
            guard !isClosed else { throw .pulse(Int32(PA_ERR_BADSTATE.rawValue), "The output is closed.") }
            landingFrame = nil
            commandFailed = false
            return try commands() ? askedCount : nil
        }
        guard let ticket else { return }
        guard mainloop.wait(until: deadline, { answeredCount >= ticket || failure != nil }) else {
            throw .pulseTimeout("The PulseAudio server did not respond in time.")
        }
        try mainloop.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            if commandFailed { throw mainloop.lastError("The PulseAudio server refused a command.") }
        }
    }

    /// Sends the stream's role to the server (R-LNX-20). Does not wait for the reply.
    func setRole(_ role: StreamRole) {
        mainloop.withLock {
            guard !isClosed, failure == nil else { return }
            let properties = pa_proplist_new()
            defer { pa_proplist_free(properties) }
            pa_proplist_sets(properties, PA_PROP_MEDIA_ROLE, role.rawValue)
            try? send(pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, properties, nil, nil))
        }
    }

    var pointerToSelf: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    func send(_ operation: OpaquePointer?) throws(PlaybackError) {
        guard let operation else { throw mainloop.lastError("The command could not be sent to the PulseAudio server.") }
        pa_operation_unref(operation)
    }

    /// Plays the available frames although the buffer is not full. A user's PULSE_LATENCY_MSEC makes the server wait for a full one.
    func skipPrebuffering() throws(PlaybackError) {
        guard let attributes = pa_stream_get_buffer_attr(stream), attributes.pointee.prebuf > bytesPerFrame else { return }
        try send(pa_stream_trigger(stream, pulseCommandAnswered, pointerToSelf))
    }
}
