import Platform

/// A recorder of the frames that a clocked output (`ClockedSink`) has played. A recorder is called by one thread at a time.
protocol FrameRecorder: Sendable {
    /// Begins the recording of a stream in the format `format`.
    func begin(_ format: AudioFormat) throws(PlaybackError)
    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError)
    /// Returns the format in which the samples of a stream are recorded; nil if there is none.
    func device(for format: AudioFormat) -> DeviceFormat?
    /// Ends the recording of the stream. Another stream may begin after `end`.
    func end()
}

extension FrameRecorder {
    /// The default for recorders that keep the samples as they are: nil.
    func device(for format: AudioFormat) -> DeviceFormat? { nil }
}

/// Playback by a clock instead of a device: determines which frames have been played at a given time. `ClockedPlayback` is a value without thread and
/// lock; `ClockedSink` adds a thread and a lock.
struct ClockedPlayback {
    /// The maximum time between two steps, in seconds: in each step, the frames that are due are taken from the source.
    private static let interval = 0.25
    /// The maximum number of frames that one call takes from the ring (the source).
    private static let blockFrames = 4_096

    private let source: RenderRing
    private let sampleRate: Int
    private let recorder: (any FrameRecorder)?
    /// The playhead of the clocked output. While playback runs, the playhead has the frame and the host time at which playback last started or
    /// resumed; otherwise it has the number of the next frame.
    private(set) var playhead: Playhead
    /// The number of the next frame that is taken from the ring (the source).
    private var next: Int64
    /// Whether playback was started and not stopped. If `isStarted` is true but the playhead does not run, playback waits because of an underrun or a
    /// failure.
    private(set) var isStarted = false
    /// Whether the frames of the source are being replaced (`AudioSink.hold`). While frames are replaced, no frames are taken from the source.
    private var isHolding = false
    /// The error of the recorder; nil if the recorder has not failed. After an error of the recorder no more frames are played.
    private(set) var failure: PlaybackError?
    private var gain: GainRamp
    private var block: [Float]

    init(_ format: AudioFormat, source: RenderRing, base: Int64, recorder: (any FrameRecorder)?, gain: Float, now: HostTime) {
        self.source = source
        self.recorder = recorder
        sampleRate = format.sampleRate
        playhead = Playhead(frame: base, hostTime: now, isRunning: false)
        next = base
        self.gain = GainRamp(gain: gain, sampleRate: format.sampleRate, channelCount: format.channelCount)
        block = [Float](repeating: 0, count: Self.blockFrames * format.channelCount)
    }

    private var available: Int { Int(source.writtenFrames - next) }

    mutating func start(at now: HostTime) {
        guard !isStarted else { return }
        isStarted = true
        resume(at: now)
    }

    /// Takes from the source the frames that have been played by the time `now`, and stops playback. The frames that have not been played remain in
    /// the source.
    mutating func stop(at now: HostTime) -> [AudioSinkEvent] {
        guard isStarted else { return [] }
        let events = take(until: now)
        isStarted = false
        isHolding = false
        rest(at: now)
        return events
    }

    /// Stops playback and withdraws the frames that have not been played. Returns the number of the first withdrawn frame.
    mutating func flush(at now: HostTime) -> (frame: Int64, events: [AudioSinkEvent]) {
        let events = stop(at: now)
        source.reset(to: next)
        rest(at: now)
        return (next, events)
    }

    /// Takes from the source the frames that have been played by the time `now`. Withdraws the frames that have not been played, while the clock
    /// continues. Returns the number of the first withdrawn frame; nil if playback is not running.
    mutating func hold(at now: HostTime) -> (frame: Int64?, events: [AudioSinkEvent]) {
        let events = take(until: now)
        guard playhead.isRunning else { return (nil, events) }
        isHolding = true
        source.reset(to: next)
        return (next, events)
    }

    /// Ends the suspension by `hold`: takes frames from the source again.
    mutating func replace(at now: HostTime) -> [AudioSinkEvent] {
        isHolding = false
        return take(until: now)
    }

    /// Resumes playback after an underrun if the source has frames.
    ///
    /// - Returns: true if playback was resumed.
    @discardableResult
    mutating func resume(at now: HostTime) -> Bool {
        guard isStarted, !playhead.isRunning, failure == nil, available > 0 else { return false }
        playhead = Playhead(frame: next, hostTime: now, isRunning: true)
        return true
    }

    mutating func setGain(_ gain: Float, at now: HostTime) -> [AudioSinkEvent] {
        // The frames that were played before a change of the gain keep the former gain, so they are taken before the change.
        let events = take(until: now)
        if playhead.isRunning { self.gain.approach(gain) } else { self.gain.jump(to: gain) }
        return events
    }

    /// Takes from the source the frames that have been played by the time `now`, and records them.
    mutating func take(until now: HostTime) -> [AudioSinkEvent] {
        guard playhead.isRunning, !isHolding else { return [] }
        let due = playhead.frame(at: now, sampleRate: sampleRate)
        let before = next
        do throws(PlaybackError) {
            while next < due, try takeBlock(atMost: Int(min(due - next, Int64(Self.blockFrames)))) {}
        } catch {
            failure = error
            rest(at: now)
            return [.lost(error)]
        }
        var events: [AudioSinkEvent] = next > before ? [.consumed] : []
        if available == 0 {
            rest(at: now)
            events.append(.underflow)
        }
        return events
    }

    /// Returns the host time at which frames have to be taken again; nil while playback is stopped or the source has no frames.
    func nextStep(after now: HostTime) -> HostTime? {
        guard playhead.isRunning else { return nil }
        // The next step is at most half the duration of the ring later, so that the engine can fill the other half of the ring before the step. The
        // next step is also not later than the end of the last available frame.
        let delay = min(Self.interval, Double(source.capacity / 2) / Double(sampleRate))
        guard !isHolding else { return now + delay }
        let end = playhead.hostTime + Double(next + Int64(available) - playhead.frame) / Double(sampleRate)
        // One microsecond is added, so that the last frame is complete at the computed host time despite rounding.
        return min(now + delay, end + 1e-6)
    }

    private mutating func takeBlock(atMost count: Int) throws(PlaybackError) -> Bool {
        let got = block.withUnsafeMutableBufferPointer { [source] block in
            block.baseAddress.map { source.render(into: $0, frameCount: count) } ?? 0
        }
        next += Int64(got)
        guard got > 0, let recorder else { return got > 0 }
        var ramp = gain
        defer { gain = ramp }
        let sampleCount = got * source.channelCount
        try block.withUnsafeMutableBufferPointer { block throws(PlaybackError) in
            let samples = UnsafeMutableBufferPointer(rebasing: block[..<sampleCount])
            ramp.apply(to: samples)
            try recorder.append(UnsafeBufferPointer(samples))
        }
        return true
    }

    private mutating func rest(at now: HostTime) {
        playhead = Playhead(frame: next, hostTime: now, isRunning: false)
    }
}
