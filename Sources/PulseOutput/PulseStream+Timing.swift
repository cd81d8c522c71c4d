import CPulse
import Platform
import PlaybackEngine

/// Requests for the stream's timing, and the replies. The callers hold the lock.
extension PulseStream {
    /// Sends a request for the timing; replies arrive in the order of the requests. libpulse's own requests (PA_STREAM_AUTO_TIMING_UPDATE) would
    /// continue while the stream is stopped.
    func requestTiming(_ purpose: TimingRequest.Purpose) throws(PlaybackError) {
        try connection.send(pa_stream_update_timing_info(stream, pulseStreamTimed, pointerToSelf))
        replies.requestWasSent(TimingRequest(purpose: purpose, sentAt: clock.now))
    }

    /// Handles the reply to the oldest request.
    func timingArrived(isValid: Bool) {
        guard let request = replies.replyArrived() else { return }
        defer { connection.notifyWaiter() }
        guard isValid, let timing = pa_stream_get_timing_info(stream)?.pointee, timing.read_index_corrupt == 0 else { return }
        let now = clock.now
        let observation = observation(timing, sentAt: request.sentAt, now: now)
        let readFrame = content.frame(at: max(0, timing.read_index))
        switch request.purpose {
        case .stop, .flush:
            playhead.endUnderrun()
            rewinder.endTrial()
            content.skipPadding(to: timing.read_index, isEmptied: request.purpose == .flush)
            playhead.rest(at: observation.readFrames, now: now)
            replies.landed(at: observation.readFrames)
        case .start:
            if timing.playing == 0, observation.readFrames >= content.writtenFrames {
                playhead.beginInUnderrun(at: observation.readFrames, now: now)
            } else {
                playhead.begin(observation)
            }
        case .splice:
            let index = ServerReplies.ReadIndex(frame: readFrame, latency: observation.latency, isPlaying: timing.playing != 0)
            replies.found(isStarted ? index : nil)
            guard isStarted, !playhead.isInUnderrun, timing.playing != 0 else { return }
            _ = playhead.observe(observation, now: now)
        case .probe:
            // If the server runs on another machine, whose clock differs, its time is unknown; the latest possible time is assumed.
            let time = timing.synchronized_clocks != 0 ? observation.time : now
            replies.found(ServerReplies.Probe(frame: readFrame, time: time))
        case .track:
            // A stream that does not play cannot correct the playhead; an event reports when it plays again.
            guard isStarted, !playhead.isInUnderrun, timing.playing != 0, replies.isUpToDate else { return }
            let result = playhead.observe(observation, now: now)
            if !result.isAccepted { try? requestTiming(.track) }
            if result.isNoticeable { emit(.corrected) }
        }
    }

    /// Makes an observation of a reply. Its read frames are limited to the written ones, and its host time to the time between request and reply.
    private func observation(_ timing: pa_timing_info, sentAt: HostTime, now: HostTime) -> PlayheadTracker.Observation {
        let read = min(max(0, timing.read_index), max(0, content.writeOffset))
        var time = HostTime(nanoseconds: sentAt.nanoseconds + (now.nanoseconds - sentAt.nanoseconds) / 2)
        if timing.synchronized_clocks != 0 {
            // The timestamp is of the wall clock; its age is valid on the monotonic clock too.
            var wall = timeval()
            pa_gettimeofday(&wall)
            let age = wall.microseconds &- timing.timestamp.microseconds
            if (0...60_000_000).contains(age) { time = HostTime(nanoseconds: now.nanoseconds - Int64(age) * 1_000) }
        }
        time = min(max(time, sentAt), now)
        return PlayheadTracker.Observation(
            readFrames: content.frame(at: read), latency: Double(min(timing.sink_usec, 60_000_000)) / 1e6, time: time, uncertainty: now - sentAt)
    }
}

extension timeval {
    /// The time since 1970. An invalid time gives a wrong number, but does not trap.
    fileprivate var microseconds: Int { tv_sec &* 1_000_000 &+ Int(tv_usec) }
}
