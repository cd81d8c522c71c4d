import CPulse
import PlaybackEngine

/// The purpose of a timing request.
enum TimingPurpose {
    /// Corrects the playhead while playing.
    case track
    /// Finds the position after a start, a stop or a flush.
    case start, stop, flush
    /// Finds the read index of a playing stream.
    case splice
    /// Finds the read index of a stream that has fewer frames than before.
    case probe
}

struct TimingQuestion {
    var purpose: TimingPurpose
    var askedAt: HostTime
}

extension PulseStream {
    /// Requests the stream's timing. `timingArrived` handles the replies, in order. Under the lock.
    ///
    /// libpulse has automatic requests (PA_STREAM_AUTO_TIMING_UPDATE), but they continue while the stream is corked.
    func ask(_ purpose: TimingPurpose) throws(PlaybackError) {
        try send(pa_stream_update_timing_info(stream, pulseStreamTimed, pointerToSelf))
        questions.append(TimingQuestion(purpose: purpose, askedAt: clock.now))
        askedCount += 1
    }

    /// Handles the reply to the oldest timing request.
    func timingArrived(isValid: Bool) {
        guard !questions.isEmpty else { return }
        let question = questions.removeFirst()
        answeredCount += 1
        defer { mainloop.notifyWaiter() }
        guard isValid, let timing = pa_stream_get_timing_info(stream)?.pointee, timing.read_index_corrupt == 0 else { return }
        let now = clock.now
        let observation = observation(timing, askedAt: question.askedAt, now: now)
        var isCorrected = false
        switch question.purpose {
        case .stop, .flush:
            cancelDryTimer()
            isDry = false
            probedFrame = nil
            skipPadding(to: timing.read_index, isEmptied: question.purpose == .flush)
            tracker.rest(at: observation.readFrames, now: now)
            landingFrame = observation.readFrames
        case .start:
            if timing.playing == 0, observation.readFrames >= writtenFrames {
                // Started without frames.
                isDry = true
                dryFrame = observation.readFrames
                tracker.rest(at: observation.readFrames, now: now)
            } else {
                isDry = false
                tracker.begin(at: tracker.playhead.frame, observation)
            }
        case .splice:
            let read = base + max(0, timing.read_index) / Int64(bytesPerFrame)
            takenWhileHeld = isStarted ? (read, observation.latency, timing.playing != 0) : nil
            guard isStarted, !isDry, timing.playing != 0 else { return }
            _ = tracker.observe(observation, now: now)
        case .probe:
            // If the clocks are not synchronized, the server may have received the audio at any time since the request. Assume the latest.
            let time = timing.synchronized_clocks != 0 ? observation.time : now
            probed = (base + max(0, timing.read_index) / Int64(bytesPerFrame), time)
            return
        case .track:
            // There is no line while the stream does not play. The server reports when playback resumes.
            guard isStarted, !isDry, timing.playing != 0, answeredCount > outdatedCount else { return }
            if !tracker.observe(observation, now: now) { try? ask(.track) }
            isCorrected = abs(tracker.correction) >= PlayheadTracker.noticeable
        }
        cell.store(tracker.playhead)
        if isCorrected { events?(.corrected) }
    }

    /// Converts the server's timing to an observation with safe values: the frame has been written, and the time is between request and reply.
    private func observation(_ timing: pa_timing_info, askedAt: HostTime, now: HostTime) -> PlayheadTracker.Observation {
        let limit = (writtenFrames - base) * Int64(bytesPerFrame)
        let read = min(max(0, timing.read_index), max(0, limit)) / Int64(bytesPerFrame)
        var time = HostTime(nanoseconds: askedAt.nanoseconds + (now.nanoseconds - askedAt.nanoseconds) / 2)
        if timing.synchronized_clocks != 0 {
            // The server's timestamp is on the wall clock. Its distance from now is valid on our clock too.
            var wall = timeval()
            pa_gettimeofday(&wall)
            let age = wall.microseconds &- timing.timestamp.microseconds
            if (0...60_000_000).contains(age) { time = HostTime(nanoseconds: now.nanoseconds - Int64(age) * 1_000) }
        }
        time = min(max(time, askedAt), now)
        return PlayheadTracker.Observation(
            readFrames: base + read, latency: Double(min(timing.sink_usec, 60_000_000)) / 1e6, time: time, uncertainty: now - askedAt)
    }

    // MARK: - Underruns

    /// Records that the server has read all frames before `frame` and has no more. The playhead stops after the last of them has been heard.
    func runDry(at frame: Int64) {
        isDry = true
        dryFrame = frame
        cancelDryTimer()
        let end = tracker.hostTime(of: frame)
        guard tracker.playhead.isRunning, end > clock.now else { return dryTimePassed() }
        dryTimer = pa_context_rttime_new(mainloop.context, UInt64(max(0, end.nanoseconds)) / 1_000 + 1, pulseDryTimePassed, pointerToSelf)
    }

    /// Stops the playhead, because the last frame before the underrun has been heard.
    func dryTimePassed() {
        cancelDryTimer()
        guard isDry, isStarted else { return }
        tracker.rest(at: dryFrame, now: clock.now)
        cell.store(tracker.playhead)
        events?(.underflow)
    }

    /// The server has started to read after an underrun.
    func started() {
        // With padding, the server has started to read the silence. Frames that replace the silence are tracked without this event.
        guard isStarted, paddingEnd == nil else { return }
        resumeRunning()
    }

    /// Ends the underrun, because there are frames to play again.
    func resumeRunning() {
        isDry = false
        cancelDryTimer()
        tracker.renew()
        try? ask(.track)
    }

    func cancelDryTimer() {
        guard let timer = dryTimer else { return }
        dryTimer = nil
        mainloop.free(timer)
    }
}

extension timeval {
    /// Microseconds since the epoch. Wraps if the value is invalid.
    fileprivate var microseconds: Int { tv_sec &* 1_000_000 &+ Int(tv_usec) }
}
