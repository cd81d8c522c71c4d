import CPulse
import Platform
import PlaybackEngine

/// The playhead of a PulseAudio stream. The playhead advances while the server plays. In an underrun, the playhead stops after the last frame has
/// been heard. Each change of the playhead is published at once, in a `PlayheadCell`.
///
/// All calls of `StreamPlayhead` need the lock of libpulse's mainloop.
final class StreamPlayhead {
    private let connection: PulseConnection
    private let cell: PlayheadCell
    private let sampleRate: Int
    private let clock = MonotonicClock()
    private var tracker: PlayheadTracker
    /// The number of the first frame that is missing in the underrun; nil if the stream is not in an underrun.
    private var underrunFrame: Int64?
    /// The timer of libpulse that fires when the last frame before the underrun has been heard; nil if no timer runs.
    private var timer: OpaquePointer?

    /// Makes a playhead that is stopped at `frame`.
    init(frame: Int64, sampleRate: Int, cell: PlayheadCell, connection: PulseConnection) {
        self.connection = connection
        self.cell = cell
        self.sampleRate = sampleRate
        tracker = PlayheadTracker(sampleRate: sampleRate, frame: frame, now: clock.now)
        publish()
    }

    private func publish() { cell.store(tracker.playhead) }

    /// Whether the playhead advances at present.
    var isRunning: Bool { tracker.playhead.isRunning }
    /// The number of the frame that the device plays now. It is never lower than the frame of the published playhead. In an underrun it advances
    /// further, as if no frames were missing.
    var heardFrame: Int64 {
        let now = clock.now
        return max(tracker.frame(at: now), tracker.playhead.frame(at: now, sampleRate: sampleRate))
    }
    /// Returns the frame that a stream without underruns would play at the host time `time`.
    func frame(at time: HostTime) -> Int64 { tracker.frame(at: time) }
    /// Returns the host time at which `frame` is heard. The result is valid only while the stream runs.
    func hostTime(of frame: Int64) -> HostTime { tracker.hostTime(of: frame) }

    // MARK: Running

    /// Starts the playhead. It stays at its present frame until, according to `observation`, a later frame is heard.
    func begin(_ observation: PlayheadTracker.Observation) {
        underrunFrame = nil
        tracker.begin(at: tracker.playhead.frame, observation)
        publish()
    }

    /// Processes an observation of the running stream's timing.
    ///
    /// - Returns: `isAccepted` is false if the stream's timing must be observed again soon, because the observation deviates too much. `isNoticeable`
    ///   is true if the observation corrected the playhead by at least 5 ms.
    func observe(_ observation: PlayheadTracker.Observation, now: HostTime) -> (isAccepted: Bool, isNoticeable: Bool) {
        let isAccepted = tracker.observe(observation, now: now)
        publish()
        return (isAccepted, abs(tracker.correction) >= PlayheadTracker.noticeable)
    }

    /// Discards the average of the observed timings: the next observation is accepted without confirmation.
    func renew() { tracker.renew() }

    /// Stops the playhead at `frame`, after the stream was stopped.
    func rest(at frame: Int64, now: HostTime) {
        tracker.rest(at: frame, now: now)
        publish()
    }

    /// Stops the playhead at its present position.
    func freeze() {
        tracker.freeze(now: clock.now)
        publish()
    }

    // MARK: Underruns

    /// Whether the server has no frames left to play although the stream is started.
    var isInUnderrun: Bool { underrunFrame != nil }

    /// Records an underrun: the server has read all frames before `frame`, and has no other frames. After the last frame before the underrun has been
    /// heard, libpulse's timer calls `pulseUnderrunHeard`.
    ///
    /// - Parameter owner: The PulseAudio stream. libpulse passes it to the callback `pulseUnderrunHeard`.
    /// - Returns: False if the last frame before the underrun has already been heard. `pulseUnderrunHeard` is then not called.
    func beginUnderrun(at frame: Int64, owner: UnsafeMutableRawPointer) -> Bool {
        underrunFrame = frame
        cancelTimer()
        let end = tracker.hostTime(of: frame)
        guard tracker.playhead.isRunning, end > clock.now else { return false }
        timer = pa_context_rttime_new(connection.context, UInt64(max(0, end.nanoseconds)) / 1_000 + 1, pulseUnderrunHeard, owner)
        return true
    }

    /// Records that the stream was started without frames to play. The stream begins with an underrun: its first missing frame is `frame`.
    func beginInUnderrun(at frame: Int64, now: HostTime) {
        underrunFrame = frame
        rest(at: frame, now: now)
    }

    /// Stops the playhead at the first frame that is missing in the underrun. Returns false if the stream is not in an underrun.
    func restAtUnderrun() -> Bool {
        guard let underrunFrame else { return false }
        rest(at: underrunFrame, now: clock.now)
        return true
    }

    /// Ends the underrun of the stream, because there are frames to play again, or the stream is stopped.
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
