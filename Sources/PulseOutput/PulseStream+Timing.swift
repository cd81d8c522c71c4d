import CPulse
import PlaybackEngine

/// What a question about the server's position is asked for.
enum TimingPurpose {
    /// To keep step while playing.
    case track
    /// To know where the stream stands after it was let run, held, or emptied.
    case start, stop, flush
    /// To know what it has taken while it plays on.
    case splice
    /// To know where it rests, having less to read than it had.
    case probe
}

struct TimingQuestion {
    var purpose: TimingPurpose
    var askedAt: HostTime
}

extension PulseStream {
    /// Asks where the stream is; answered by `timingArrived`, in order. Under the lock.
    ///
    /// libpulse could ask by itself (PA_STREAM_AUTO_TIMING_UPDATE), but then it goes on asking while the stream is corked.
    func ask(_ purpose: TimingPurpose) throws(PlaybackError) {
        try send(pa_stream_update_timing_info(stream, pulseStreamTimed, pointerToSelf))
        questions.append(TimingQuestion(purpose: purpose, askedAt: clock.now))
        askedCount += 1
    }

    /// The answer to the oldest question.
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
                // Started with nothing to play.
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
            // A server whose clock is another one's may have had it at any time since it was asked.
            let time = timing.synchronized_clocks != 0 ? observation.time : now
            probed = (base + max(0, timing.read_index) / Int64(bytesPerFrame), time)
            return
        case .track:
            // A stream that does not play has no line; the server tells when it goes on.
            guard isStarted, !isDry, timing.playing != 0, answeredCount > outdatedCount else { return }
            if !tracker.observe(observation, now: now) { try? ask(.track) }
            isCorrected = abs(tracker.correction) >= PlayheadTracker.noticeable
        }
        cell.store(tracker.playhead)
        if isCorrected { events?(.corrected) }
    }

    /// What the server says, made safe: whatever it sends, the frame is one that was written and the time one that has been.
    private func observation(_ timing: pa_timing_info, askedAt: HostTime, now: HostTime) -> PlayheadTracker.Observation {
        let limit = (writtenFrames - base) * Int64(bytesPerFrame)
        let read = min(max(0, timing.read_index), max(0, limit)) / Int64(bytesPerFrame)
        var time = HostTime(nanoseconds: askedAt.nanoseconds + (now.nanoseconds - askedAt.nanoseconds) / 2)
        if timing.synchronized_clocks != 0 {
            // The server's time stamp is on the wall clock; as a distance from now it means the same on ours.
            var wall = timeval()
            pa_gettimeofday(&wall)
            let age = wall.microseconds &- timing.timestamp.microseconds
            if (0...60_000_000).contains(age) { time = HostTime(nanoseconds: now.nanoseconds - Int64(age) * 1_000) }
        }
        time = min(max(time, askedAt), now)
        return PlayheadTracker.Observation(
            readFrames: base + read, latency: Double(min(timing.sink_usec, 60_000_000)) / 1e6, time: time, uncertainty: now - askedAt)
    }

    // MARK: - Running dry

    /// The server has read every frame before `frame`, and nothing follows yet. What it read is still to be heard; then the playhead rests.
    func runDry(at frame: Int64) {
        isDry = true
        dryFrame = frame
        cancelDryTimer()
        let end = tracker.hostTime(of: frame)
        guard tracker.playhead.isRunning, end > clock.now else { return dryTimePassed() }
        dryTimer = pa_context_rttime_new(mainloop.context, UInt64(max(0, end.nanoseconds)) / 1_000 + 1, pulseDryTimePassed, pointerToSelf)
    }

    /// The last frame before it ran dry has been heard.
    func dryTimePassed() {
        cancelDryTimer()
        guard isDry, isStarted else { return }
        tracker.rest(at: dryFrame, now: clock.now)
        cell.store(tracker.playhead)
        events?(.underflow)
    }

    /// The server has begun to read after it had nothing.
    func started() {
        // Silence was begun behind nothing; what has been put behind the last frame since is known.
        guard isStarted, paddingEnd == nil else { return }
        resumeRunning()
    }

    /// There is something to play again.
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
    /// Microseconds since its epoch; wraps where the value is nonsense.
    fileprivate var microseconds: Int { tv_sec &* 1_000_000 &+ Int(tv_usec) }
}
