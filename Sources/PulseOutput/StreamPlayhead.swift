import CPulse
import Platform
import PlaybackEngine

/// The playhead of a stream. It advances while the server plays; in an underrun it stops after the last frame has been heard. Each change is
/// published at once. Needs the lock.
final class StreamPlayhead {
    private let connection: PulseConnection
    private let cell: PlayheadCell
    private let sampleRate: Int
    private let clock = MonotonicClock()
    private var tracker: PlayheadTracker
    /// The first frame that is missing in the present underrun; nil if there is no underrun.
    private var underrunFrame: Int64?
    /// Fires when the last frame before the underrun has been heard.
    private var timer: OpaquePointer?

    init(frame: Int64, sampleRate: Int, cell: PlayheadCell, connection: PulseConnection) {
        self.connection = connection
        self.cell = cell
        self.sampleRate = sampleRate
        tracker = PlayheadTracker(sampleRate: sampleRate, frame: frame, now: clock.now)
        publish()
    }

    private func publish() { cell.store(tracker.playhead) }

    var isRunning: Bool { tracker.playhead.isRunning }
    /// The frame that is heard now; never lower than the published playhead, and in an underrun as if no frames were missing.
    var heardFrame: Int64 {
        let now = clock.now
        return max(tracker.frame(at: now), tracker.playhead.frame(at: now, sampleRate: sampleRate))
    }
    /// The frame that is heard at a host time, if the stream has no underrun.
    func frame(at time: HostTime) -> Int64 { tracker.frame(at: time) }
    /// The host time at which a frame is heard; valid only while the stream runs.
    func hostTime(of frame: Int64) -> HostTime { tracker.hostTime(of: frame) }

    // MARK: Running

    /// Starts the playhead, which stays at its frame until, by `observation`, a later frame is heard.
    func begin(_ observation: PlayheadTracker.Observation) {
        underrunFrame = nil
        tracker.begin(at: tracker.playhead.frame, observation)
        cell.store(latency: observation.latency)
        publish()
    }

    /// Corrects the playhead. `isAccepted` is false if the timing must be observed again soon; `isNoticeable` is true after a correction of at least
    /// 5 ms.
    func observe(_ observation: PlayheadTracker.Observation, now: HostTime) -> (isAccepted: Bool, isNoticeable: Bool) {
        let isAccepted = tracker.observe(observation, now: now)
        if isAccepted { cell.store(latency: observation.latency) }
        publish()
        return (isAccepted, abs(tracker.correction) >= PlayheadTracker.noticeable)
    }

    /// Makes the playhead accept the next observation without confirmation.
    func renew() { tracker.renew() }

    func rest(at frame: Int64, now: HostTime) {
        tracker.rest(at: frame, now: now)
        publish()
    }

    func freeze() {
        tracker.freeze(now: clock.now)
        publish()
    }

    // MARK: Underruns

    /// Whether no frames are left although the stream is started.
    var isInUnderrun: Bool { underrunFrame != nil }

    /// Begins an underrun at `frame`. Returns false if the frame before it has already been heard; otherwise libpulse's timer calls
    /// `pulseUnderrunHeard` with `owner`.
    func beginUnderrun(at frame: Int64, owner: UnsafeMutableRawPointer) -> Bool {
        underrunFrame = frame
        cancelTimer()
        let end = tracker.hostTime(of: frame)
        guard tracker.playhead.isRunning, end > clock.now else { return false }
        timer = pa_context_rttime_new(connection.context, UInt64(max(0, end.nanoseconds)) / 1_000 + 1, pulseUnderrunHeard, owner)
        return true
    }

    /// Begins an underrun at `frame`, because the stream was started without frames.
    func beginInUnderrun(at frame: Int64, now: HostTime) {
        underrunFrame = frame
        rest(at: frame, now: now)
    }

    /// Stops the playhead at the first missing frame. Returns false if there is no underrun.
    func restAtUnderrun() -> Bool {
        guard let underrunFrame else { return false }
        rest(at: underrunFrame, now: clock.now)
        return true
    }

    /// Ends the underrun: there are frames again, or the stream is stopped.
    func endUnderrun() {
        underrunFrame = nil
        cancelTimer()
    }

    func cancelTimer() {
        guard let timer else { return }
        self.timer = nil
        connection.free(timer)
    }
}
