import Platform

/// A recorder of the frames that a clocked output (`ClockedSink`) has played. Called by one thread at a time.
protocol FrameRecorder: Sendable {
    /// Begins a stream of this format.
    func begin(_ format: AudioFormat) throws(PlaybackError)
    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError)
    /// Ends the stream. Another stream may begin after that.
    func end()
}

/// Playback by a clock instead of a device: determines which frames have been played at a given time. A value without thread or lock; `ClockedSink`
/// adds both.
struct ClockedPlayback {
    /// The time between two takes of frames from the source, in seconds.
    private static let interval = 0.25
    /// The maximum number of frames that are taken from the source at once.
    private static let blockFrames = 4_096

    private let source: RenderSource
    private let sampleRate: Int
    private let recorder: (any FrameRecorder)?
    /// The playhead of this output. While playback runs, the playhead is the frame and the host time at which the clock began to count; otherwise it
    /// rests at the next frame.
    private(set) var playhead: Playhead
    /// The number of the next frame that is taken from the source.
    private var next: Int64
    /// Whether playback was started. If it was started and the playhead is not running, the source has no frames.
    private(set) var isStarted = false
    /// Whether the frames of the source are being replaced (`AudioSink.hold`). No frames are taken until `replace`.
    private var isHolding = false
    /// The error of the recorder, nil if there was none. After an error no more frames are played.
    private(set) var failure: PlaybackError?
    private var gain: GainRamp
    private var block: [Float]

    init(_ format: AudioFormat, source: RenderSource, base: Int64, recorder: (any FrameRecorder)?, gain: Float, now: HostTime) {
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
        goOn(at: now)
    }

    /// Takes the frames whose time has passed, and stops. The frames after them are kept.
    mutating func stop(at now: HostTime) -> [AudioSinkEvent] {
        guard isStarted else { return [] }
        let events = take(until: now)
        isStarted = false
        isHolding = false
        rest(at: now)
        return events
    }

    /// Stops and withdraws the frames that have not been played. Returns the number of the first withdrawn frame.
    mutating func flush(at now: HostTime) -> (frame: Int64, events: [AudioSinkEvent]) {
        let events = stop(at: now)
        source.reset(to: next)
        rest(at: now)
        return (next, events)
    }

    /// Takes the frames whose time has passed, and withdraws the frames after them while the clock continues. Returns the number of the first
    /// withdrawn frame; nil if playback is not running.
    mutating func hold(at now: HostTime) -> (frame: Int64?, events: [AudioSinkEvent]) {
        let events = take(until: now)
        guard playhead.isRunning else { return (nil, events) }
        isHolding = true
        source.reset(to: next)
        return (next, events)
    }

    /// Takes frames again after `hold`.
    mutating func replace(at now: HostTime) -> [AudioSinkEvent] {
        isHolding = false
        return take(until: now)
    }

    /// Resumes playback after an underrun if the source has frames.
    ///
    /// - Returns: true if playback was resumed.
    @discardableResult
    mutating func goOn(at now: HostTime) -> Bool {
        guard isStarted, !playhead.isRunning, failure == nil, available > 0 else { return false }
        playhead = Playhead(frame: next, hostTime: now, isRunning: true)
        return true
    }

    mutating func setGain(_ gain: Float, at now: HostTime) -> [AudioSinkEvent] {
        // The frames that were played before now keep the former gain.
        let events = take(until: now)
        self.gain.target = gain
        return events
    }

    /// Takes the frames whose time has passed.
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

    /// Returns the host time of the next step; nil if there is nothing to do until another call.
    func nextStep(after now: HostTime) -> HostTime? {
        guard playhead.isRunning else { return nil }
        // The step is at most half the duration of the ring away, so that the engine can fill the other half before the step. The step is not later
        // than the end of the last available frame either.
        let delay = min(Self.interval, Double(source.capacity / 2) / Double(sampleRate))
        guard !isHolding else { return now + delay }
        let end = playhead.hostTime + Double(next + Int64(available) - playhead.frame) / Double(sampleRate)
        // One microsecond is added, so that the last frame is complete at that time despite rounding.
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
