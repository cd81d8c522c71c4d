/// Takes what a clocked output played. Called by one thread at a time.
protocol FrameRecorder: Sendable {
    /// A stream of this format begins.
    func begin(_ format: AudioFormat) throws(PlaybackError)
    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError)
    /// The stream is over; another may begin.
    func end()
}

/// Playing by a clock: which frames are over at a given time, and what follows from it. A value without thread or lock; `ClockedSink` is its shell.
struct ClockedPlayback {
    /// Seconds between two looks at the source.
    private static let interval = 0.25
    /// Frames taken from the source at a time.
    private static let blockFrames = 4_096

    private let source: RenderSource
    private let sampleRate: Int
    private let recorder: (any FrameRecorder)?
    /// Where the clock began to count, `playhead.frame` being next at `playhead.hostTime`; or where it stands.
    private(set) var playhead: Playhead
    /// The next frame to take.
    private var next: Int64
    /// Started. A started playback whose playhead does not run has nothing to play.
    private(set) var isStarted = false
    /// What follows is being replaced: nothing is taken.
    private var isHolding = false
    /// Set where the recorder failed: nothing is played any more.
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

    /// Takes what is over, and stands still with the rest.
    mutating func stop(at now: HostTime) -> [AudioSinkEvent] {
        guard isStarted else { return [] }
        let events = take(until: now)
        isStarted = false
        isHolding = false
        rest(at: now)
        return events
    }

    /// Stops and forgets what is not over; returns the first frame of that.
    mutating func flush(at now: HostTime) -> (frame: Int64, events: [AudioSinkEvent]) {
        let events = stop(at: now)
        source.reset(to: next)
        rest(at: now)
        return (next, events)
    }

    /// Takes what is over, gives back the rest, and lets time pass.
    mutating func hold(at now: HostTime) -> (frame: Int64?, events: [AudioSinkEvent]) {
        let events = take(until: now)
        guard playhead.isRunning else { return (nil, events) }
        isHolding = true
        source.reset(to: next)
        return (next, events)
    }

    /// Goes on with what is there now.
    mutating func replace(at now: HostTime) -> [AudioSinkEvent] {
        isHolding = false
        return take(until: now)
    }

    /// Goes on where it had nothing to play and now has.
    ///
    /// - Returns: whether it did.
    @discardableResult
    mutating func goOn(at now: HostTime) -> Bool {
        guard isStarted, !playhead.isRunning, failure == nil, available > 0 else { return false }
        playhead = Playhead(frame: next, hostTime: now, isRunning: true)
        return true
    }

    mutating func setGain(_ gain: Float, at now: HostTime) -> [AudioSinkEvent] {
        // What is over had the gain of its time.
        let events = take(until: now)
        self.gain.target = gain
        return events
    }

    /// Takes the frames whose time is over.
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

    /// When something is to be done next, nil where only a call from outside changes anything.
    func nextStep(after now: HostTime) -> HostTime? {
        guard playhead.isRunning else { return nil }
        // Half a ring at most, so that its other half can be filled meanwhile; and no later than the last frame there is.
        let pause = min(Self.interval, Double(source.capacity / 2) / Double(sampleRate))
        guard !isHolding else { return now + pause }
        let end = playhead.hostTime + Double(next + Int64(available) - playhead.frame) / Double(sampleRate)
        // A microsecond more, so that the last frame's time is over by any rounding.
        return min(now + pause, end + 1e-6)
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
