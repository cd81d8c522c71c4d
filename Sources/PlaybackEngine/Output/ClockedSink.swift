import Synchronization

/// An output without a device: it plays in real time by a clock, to nobody or into a file. Made by `NullOutputProvider` and `FileOutputProvider`.
///
/// Its latency is zero: a frame is taken from the source when its time is over, at the latest a quarter of a second later, so a stop or a flush
/// comes to exactly the frame that the clock has come to, and the playhead is exact. It wakes four times a second while it plays, and not at all
/// while it is stopped or has nothing to play. `close` ends its thread.
public final class ClockedSink: AudioSink {
    private struct State {
        var playback: ClockedPlayback?
        var events: (@Sendable (AudioSinkEvent) -> Void)?
        var thread: WorkerThread?
        /// The gain heard: 0 while muted.
        var gain: Float = 1
    }

    private let clock: any HostClock
    private let recorder: (any FrameRecorder)?
    private let isThreaded: Bool
    private let state = Mutex(State())
    private let cell = PlayheadCell()
    private let wake = WakeSignal()
    public let description: OutputDescription

    init(_ description: OutputDescription, clock: any HostClock, recorder: (any FrameRecorder)?, isThreaded: Bool) {
        self.description = description
        self.clock = clock
        self.recorder = recorder
        self.isThreaded = isThreaded
    }

    public func open(
        _ format: AudioFormat, source: RenderSource, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        precondition(source.channelCount == format.channelCount, "the source must have as many channels as the stream")
        close()
        if source.renderedFrames != base { source.reset(to: base) }
        try recorder?.begin(format)
        let now = clock.now
        do throws(PlaybackError) {
            try state.withLock { state throws(PlaybackError) in
                // It waits for the lock, and then finds the playback.
                if isThreaded { state.thread = try WorkerThread(starting: description.kind) { self.run() } }
                let playback = ClockedPlayback(format, source: source, base: base, recorder: recorder, gain: state.gain, now: now)
                cell.store(playback.playhead)
                state.playback = playback
                state.events = events
            }
        } catch {
            recorder?.end()
            throw error
        }
    }

    public func start() throws(PlaybackError) {
        try change { playback, now in
            playback.start(at: now)
            return []
        }
        wake.raise()
    }

    public func stop() throws(PlaybackError) {
        try change { playback, now in playback.stop(at: now) }
    }

    public func hold() throws(PlaybackError) -> Int64? {
        var frame: Int64?
        try change { playback, now in
            let result = playback.hold(at: now)
            frame = result.frame
            return result.events
        }
        return frame
    }

    public func replace(from frame: Int64) throws(PlaybackError) -> Int64 {
        try change { playback, now in playback.replace(at: now) }
        wake.raise()
        return frame
    }

    public func flush() throws(PlaybackError) -> Int64 {
        var frame: Int64 = 0
        try change { playback, now in
            let result = playback.flush(at: now)
            frame = result.frame
            return result.events
        }
        return frame
    }

    public func sourceDidFill() {
        let now = clock.now
        let goesOn = state.withLock { state in
            guard state.playback?.goOn(at: now) == true, let playhead = state.playback?.playhead else { return false }
            cell.store(playhead)
            return true
        }
        if goesOn { wake.raise() }
    }

    public func setVolume(_ volume: Float, isMuted: Bool) {
        let gain = isMuted || !(volume > 0) ? 0 : min(volume, 1)
        state.withLock { $0.gain = gain }
        // A sink that is not open, or lost, has no stream whose gain would change.
        try? change { playback, now in playback.setGain(gain, at: now) }
    }

    public func close() {
        let now = clock.now
        let thread = state.withLock { state in
            defer { state.thread = nil }
            if var playback = state.playback {
                _ = playback.stop(at: now)
                cell.store(playback.playhead)
                state.playback = nil
                state.events = nil
                recorder?.end()
            }
            return state.thread
        }
        wake.raise()
        thread?.join()
    }

    public var playhead: Playhead { cell.load() }

    public var isAudible: Bool { false }

    /// Plays what is due. For those who drive the sink themselves; in production its thread does.
    ///
    /// - Returns: when to call again; nil where there is nothing to do until `start` or `sourceDidFill`.
    @discardableResult
    public func step() -> HostTime? {
        let now = clock.now
        try? change { playback, _ in playback.take(until: now) }
        return state.withLock { $0.playback?.nextStep(after: now) }
    }

    private func run() {
        while state.withLock({ $0.playback != nil }) {
            if let next = step() { _ = wake.wait(until: next) } else { wake.wait() }
        }
    }

    /// Carries out a change of an open, working playback, publishes its playhead, and then tells its events.
    private func change(_ body: (inout ClockedPlayback, HostTime) -> [AudioSinkEvent]) throws(PlaybackError) {
        let now = clock.now
        let (events, handler) = try state.withLock { state throws(PlaybackError) in
            guard var playback = state.playback else { throw PlaybackError(.outputUnavailable, "The output is closed.") }
            if let failure = playback.failure { throw failure }
            state.playback = nil
            let events = body(&playback, now)
            cell.store(playback.playhead)
            state.playback = playback
            return (events, state.events)
        }
        for event in events { handler?(event) }
    }
}
