import Platform

/// Records the frames that a `ClockedSink` has played; called by one thread at a time.
protocol FrameRecorder: Sendable {
    func begin(_ format: AudioFormat) throws(PlaybackError)
    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError)
    /// The format in which a stream is recorded; nil if the samples are kept as they are.
    func device(for format: AudioFormat) -> DeviceFormat?
    /// Ends the stream; another may begin afterwards.
    func end()
}

extension FrameRecorder {
    /// The default for recorders that keep the samples as they are.
    func device(for format: AudioFormat) -> DeviceFormat? { nil }
}

/// Playback by a clock, without a device: takes and records the frames that are due at a given time. `ClockedSink` adds a thread and a lock.
struct ClockedPlayback {
    /// The time between two steps, in seconds; each step takes the frames that are due.
    private static let interval = 0.25
    /// The greatest number of frames that one call takes from the ring.
    private static let blockFrames = 4_096

    private let source: RenderRing
    private let sampleRate: Int
    private let recorder: (any FrameRecorder)?
    /// The frame and the host time of the last start while playback runs; otherwise the next frame.
    private(set) var playhead: Playhead
    /// The next frame from the ring.
    private var next: Int64
    /// Whether playback was started. If the playhead does not run then, playback waits because of an underrun or a failure.
    private(set) var isStarted = false
    /// Whether no frames are taken (`AudioSink.hold`).
    private var isHolding = false
    /// The failure of the recorder, after which nothing is played.
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

    /// Stops playback; the frames that have not been played remain in the source.
    mutating func stop(at now: HostTime) -> [AudioSinkEvent] {
        guard isStarted else { return [] }
        let events = take(until: now)
        isStarted = false
        isHolding = false
        rest(at: now)
        return events
    }

    /// Stops playback, and withdraws the frames that have not been played. Returns the number of the first.
    mutating func flush(at now: HostTime) -> (frame: Int64, events: [AudioSinkEvent]) {
        let events = stop(at: now)
        source.reset(to: next)
        rest(at: now)
        return (next, events)
    }

    /// Withdraws frames, while the clock continues. Returns the number of the first withdrawn frame; nil if playback is not running.
    mutating func hold(at now: HostTime) -> (frame: Int64?, events: [AudioSinkEvent]) {
        let events = take(until: now)
        guard playhead.isRunning else { return (nil, events) }
        isHolding = true
        source.reset(to: next)
        return (next, events)
    }

    mutating func replace(at now: HostTime) -> [AudioSinkEvent] {
        isHolding = false
        return take(until: now)
    }

    /// Resumes after an underrun, if the source has frames. Returns true if playback was resumed.
    @discardableResult
    mutating func resume(at now: HostTime) -> Bool {
        guard isStarted, !playhead.isRunning, failure == nil, available > 0 else { return false }
        playhead = Playhead(frame: next, hostTime: now, isRunning: true)
        return true
    }

    mutating func setGain(_ gain: Float, at now: HostTime) -> [AudioSinkEvent] {
        // The frames before a change keep the former gain.
        let events = take(until: now)
        if playhead.isRunning { self.gain.approach(gain) } else { self.gain.jump(to: gain) }
        return events
    }

    /// Takes the frames that are due at `now` from the source, and records them. Returns the events that have to be sent.
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

    /// The time of the next step; nil while playback is stopped or the source has no frames.
    func nextStep(after now: HostTime) -> HostTime? {
        guard playhead.isRunning else { return nil }
        // The step is at most half the ring's duration later, so that the engine can fill the other half, and at the last available frame.
        let delay = min(Self.interval, Double(source.capacity / 2) / Double(sampleRate))
        guard !isHolding else { return now + delay }
        let end = playhead.hostTime + Double(next + Int64(available) - playhead.frame) / Double(sampleRate)
        // Because of the added microsecond, the last frame is due in spite of rounding.
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
