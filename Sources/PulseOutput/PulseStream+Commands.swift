import CPulse
import PlaybackEngine

/// What the engine asks of the stream, from its own thread, without the lock.
extension PulseStream {
    /// Lets it run.
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

    /// Holds it, with what it has.
    func stop() throws(PlaybackError) {
        try perform { () throws(PlaybackError) in
            guard isStarted else { return false }
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try ask(.stop)
            return true
        }
    }

    /// Holds it and takes back what the server has not taken; resets the source to the first frame of that, and returns its number.
    func flush() throws(PlaybackError) -> Int64 {
        // All three go out together, and the server answers in order: the last answer tells about the flushed stream.
        try perform { () throws(PlaybackError) in
            isHolding = true
            isStarted = false
            try send(pa_stream_cork(stream, 1, pulseCommandAnswered, pointerToSelf))
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            try ask(.flush)
            return true
        }
        return try mainloop.withLock { () throws(PlaybackError) in
            guard let landingFrame else { throw .pulse(Int32(PA_ERR_NODATA.rawValue), "The PulseAudio server does not tell its position.") }
            writtenFrames = landingFrame
            source.reset(to: landingFrame)
            isHolding = false
            return landingFrame
        }
    }

    /// The longest device latency, in seconds, with which a stream that plays on is told early enough of what replaces its sound.
    private static let replaceableLatency = 0.025
    /// The server will not read from the stream within this time, in seconds, where it has just said so.
    private static let readingMargin = 0.003

    /// Lets the server play on with what it has read, and gives back the rest, without stopping. Nil where the device's own buffer is long and cannot be
    /// rewound: what is in there can be taken back only from a stream that is stopped.
    func hold() throws(PlaybackError) -> Int64? {
        let (latency, canRewind) = mainloop.withLock { () -> (Double?, Bool) in
            rewound = nil
            guard isStarted, !isDry, failure == nil, !isClosed, let timing = pa_stream_get_timing_info(stream)?.pointee else { return (nil, false) }
            return (Double(timing.configured_sink_usec) / 1e6, self.canRewind)
        }
        guard let latency, latency <= Self.replaceableLatency || canRewind else { return nil }
        // The server reads in blocks: between two of them there is time to replace what follows, right before one there is not.
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

    /// Holds it, and asks what the server has read. Nil, and it is not held, where that is all there is, or nothing plays.
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

    /// Puts the source's frames in the place of those that the server has not taken, from `frame` on.
    func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        if let read = mainloop.withLock({ rewound }) { return try replaceRewinding(from: frame, read: read) }
        try perform { () throws(PlaybackError) in
            takenWhileHeld = nil
            writtenFrames = frame
            // One after the other without a pause: the server finds the new sound where the old one was.
            try send(pa_stream_flush(stream, pulseCommandAnswered, pointerToSelf))
            isHolding = false
            pull(atLeast: format.sampleRate / 4)
            try ask(.splice)
            return true
        }
        return mainloop.withLock {
            // What it has taken counts also where it found nothing between the two, and does not play just now.
            guard let taken = takenWhileHeld?.frame, taken > frame else { return frame }
            if let start = beginRewinding(read: taken) { return start }
            isHolding = true
            writtenFrames = taken
            source.reset(to: taken)
            return taken
        }
    }

    /// It is held no longer. Under the lock.
    func release() {
        isHolding = false
        pull()
    }

    /// Sends `commands` (which return whether there is anything to wait for) and waits for the answer to the last question asked.
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
            throw .pulseTimeout("The PulseAudio server does not answer.")
        }
        try mainloop.withLock { () throws(PlaybackError) in
            if let failure { throw failure }
            if commandFailed { throw mainloop.lastError("The PulseAudio server refused a command.") }
        }
    }

    /// Tells the server what the sound is for (R-LNX-20). Sent, not waited for.
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
        guard let operation else { throw mainloop.lastError("The PulseAudio server cannot be told.") }
        pa_operation_unref(operation)
    }

    /// A user's PULSE_LATENCY_MSEC makes the server wait for a full buffer; we want what there is to be heard.
    func skipPrebuffering() throws(PlaybackError) {
        guard let attributes = pa_stream_get_buffer_attr(stream), attributes.pointee.prebuf > bytesPerFrame else { return }
        try send(pa_stream_trigger(stream, pulseCommandAnswered, pointerToSelf))
    }
}
