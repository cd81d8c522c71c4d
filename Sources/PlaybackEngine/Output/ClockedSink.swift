public import Platform
import Synchronization

/// An output without a device. It takes audio in real time by a clock, and discards it or writes it to a file.
///
/// Frames are taken after their time has passed, at most a quarter of a second later. So the latency is zero, and stops, flushes and the playhead are
/// exact. The thread wakes four times per second during playback, and otherwise not. `close` ends it.
public final class ClockedSink: AudioSink {
    private struct State {
        var playback: ClockedPlayback?
        var events: (@Sendable (AudioSinkEvent) -> Void)?
        var thread: WorkerThread?
        /// The volume, 0…1; 0 while muted.
        var gain: Float = 1
        var description: OutputDescription
    }

    private let clock: any HostClock
    private let recorder: (any FrameRecorder)?
    private let isThreaded: Bool
    private let state: Mutex<State>
    private let cell = PlayheadCell()
    private let wake = WakeSignal()
    public var description: OutputDescription { state.withLock { $0.description } }

    init(_ description: OutputDescription, clock: any HostClock, recorder: (any FrameRecorder)?, isThreaded: Bool) {
        state = Mutex(State(description: description))
        self.clock = clock
        self.recorder = recorder
        self.isThreaded = isThreaded
    }

    public func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        precondition(source.channelCount == format.channelCount, "the source and the stream have the same number of channels")
        close()
        if source.renderedFrames != base { source.reset(to: base) }
        try recorder?.begin(format)
        let now = clock.now
        do throws(PlaybackError) {
            try state.withLock { state throws(PlaybackError) in
                // The new thread first acquires the lock, so it finds the playback that is stored here.
                if isThreaded {
                    do throws(SystemError) {
                        state.thread = try WorkerThread(starting: state.description.kind) { self.run() }
                    } catch {
                        throw .noThread(error)
                    }
                }
                let playback = ClockedPlayback(format, source: source, base: base, recorder: recorder, gain: state.gain, now: now)
                cell.store(playback.playhead)
                state.playback = playback
                state.events = events
                state.description.device = recorder?.device(for: format)
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
            guard state.playback?.resume(at: now) == true, let playhead = state.playback?.playhead else { return false }
            cell.store(playhead)
            return true
        }
        if goesOn { wake.raise() }
    }

    public func setVolume(_ volume: Float, isMuted: Bool) {
        let gain = isMuted || !(volume > 0) ? 0 : min(volume, 1)
        state.withLock { $0.gain = gain }
        // A sink that is closed or has failed has no stream.
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

    /// Plays the frames that are due. Returns the time of the next call; nil if there is no work until `start` or `sourceDidFill`.
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

    /// Changes the playback, and sends the events that `body` returns after the lock is released. Throws if the sink is closed or its recorder has
    /// failed.
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
