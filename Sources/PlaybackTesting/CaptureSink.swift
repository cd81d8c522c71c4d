public import Platform
public import PlaybackEngine
import Synchronization

/// An output that plays under the control of a test, and records what it plays. Like PulseAudio with a long buffer, it takes frames in advance, keeps
/// them at a stop, and at a flush withdraws those that were not played.
public final class CaptureSink: AudioSink {
    /// A frame that was played.
    public struct Heard: Sendable {
        /// The number of the frame, counted from the first frame that the engine has rendered.
        public var frame: Int64
        /// The sample of the first channel.
        public var value: Float
        public init(frame: Int64, value: Float) { (self.frame, self.value) = (frame, value) }
    }
    private struct State {
        var source: RenderRing?
        var format = AudioFormat.compactDisc
        var events: (@Sendable (AudioSinkEvent) -> Void)?
        var buffer: [Float] = []
        var head = 0
        var taken: Int64 = 0
        var isRunning = false
        var heard: [Heard] = []
        var underruns = 0
        var opens: [AudioFormat] = []
        var volume: Float = 1
        var isMuted = false
        var openError: PlaybackError?
        var speakers: ChannelLayout?
        var sampleRate: Int?
        /// The sample rates to which the device changes with a stream, unless the device is shared.
        var followed: Set<Int> = []
        var isShared = false
        var isHolding = false
        var holds = true
        /// `held`: the samples that `hold` has withdrawn. `haste`: the numbers of withdrawn frames that are played before the next `replace` calls.
        var held: [Float] = []
        var haste: [Int] = []
        var buffered: Int { (buffer.count - head) / format.channelCount }
    }
    private let state = Mutex(State())
    private let cell = PlayheadCell()
    private let clock: any HostClock
    private let bufferSeconds: Double
    private let kind: String

    public init(clock: any HostClock, bufferSeconds: Double = 2, kind: String = "capture") {
        self.clock = clock
        self.bufferSeconds = bufferSeconds
        self.kind = kind
    }

    // MARK: Control by tests

    /// Returns the frames that were played since the last call, in order.
    public func takeHeard() -> [Heard] {
        state.withLock { state in
            defer { state.heard = [] }
            return state.heard
        }
    }
    /// The number of calls of `play` for more frames than were buffered.
    public var underruns: Int { state.withLock { $0.underruns } }
    /// The formats of all openings, in order.
    public var opens: [AudioFormat] { state.withLock { $0.opens } }
    public var isRunning: Bool { state.withLock { $0.isRunning } }
    public var isOpen: Bool { state.withLock { $0.source != nil } }
    public var volume: Float { state.withLock { $0.isMuted ? 0 : $0.volume } }
    /// Makes the next openings fail; with nil, openings succeed again.
    public func failOpens(with error: PlaybackError?) { state.withLock { $0.openError = error } }

    /// Sets the speakers of the device. The property `speakers` is nil unless the sink is open.
    public func setSpeakers(_ speakers: ChannelLayout) { state.withLock { $0.speakers = speakers } }

    /// Sets the sample rate of the device. The property `sampleRate` is nil unless the sink is open.
    public func setSampleRate(_ sampleRate: Int?) { state.withLock { $0.sampleRate = sampleRate } }
    /// Sets the sample rates to which the device changes by itself if no other program plays.
    public func follow(_ sampleRates: Set<Int>) { state.withLock { $0.followed = sampleRates } }
    /// Sets whether another program also plays on the device. A shared device keeps its rate.
    public func setShared(_ isShared: Bool) { state.withLock { $0.isShared = isShared } }
    public func move(toSampleRate sampleRate: Int) {
        let events = state.withLock { state in
            state.sampleRate = sampleRate
            return state.events
        }
        events?(.changed(description, wasRemoved: false))
    }

    /// Makes `hold` return nil, as if audio could not be replaced before it is played.
    public func refuseHolds() { state.withLock { $0.holds = false } }
    /// Makes the next replacements late: before each, this number of withdrawn frames is still played.
    public func hurry(by frames: [Int]) { state.withLock { $0.haste = frames } }

    /// Plays frames if the sink is running. The caller advances the virtual clock.
    public func play(frames count: Int) {
        let events = state.withLock { state -> (@Sendable (AudioSinkEvent) -> Void)? in
            guard state.isRunning, state.source != nil else { return nil }
            let channels = state.format.channelCount
            let real = min(count, state.buffered)
            for index in 0..<real {
                state.heard.append(Heard(frame: state.taken + Int64(index), value: state.buffer[state.head + index * channels]))
            }
            state.head += real * channels
            state.taken += Int64(real)
            if real < count { state.underruns += 1 }
            pull(&state)
            return state.events
        }
        updatePlayhead()
        events?(.consumed)
        if state.withLock({ $0.isRunning && $0.buffered == 0 }) { events?(.underflow) }
    }

    /// Reports a corrected playhead, as after a wrong estimate.
    public func correct() {
        let events = state.withLock { $0.events }
        events?(.corrected)
    }

    /// Sets the volume like another program.
    public func mix(_ volume: Float, isMuted: Bool = false) {
        let events = state.withLock { state in
            (state.volume, state.isMuted) = (volume, isMuted)
            return state.events
        }
        events?(.volumeChanged(volume, isMuted: isMuted))
    }

    public func lose() {
        let events = state.withLock { $0.events }
        events?(.lost(PlaybackError(.outputUnavailable, "The device was removed.")))
    }

    // MARK: AudioSink

    public var speakers: ChannelLayout? { state.withLock { $0.source == nil ? nil : $0.speakers } }

    public var sampleRate: Int? { state.withLock { $0.source == nil ? nil : $0.sampleRate } }

    public var isShared: Bool { state.withLock { $0.isShared } }

    public func open(
        _ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void
    ) throws(PlaybackError) {
        let error = state.withLock { state -> PlaybackError? in
            if let error = state.openError { return error }
            state.source = source
            state.format = format
            state.events = events
            state.buffer = []
            state.head = 0
            state.taken = base
            state.isRunning = false
            state.isHolding = false
            state.opens.append(format)
            if state.followed.contains(format.sampleRate), !state.isShared { state.sampleRate = format.sampleRate }
            return nil
        }
        if let error { throw error }
        updatePlayhead()
    }
    public func start() {
        state.withLock { $0.isRunning = true }
        updatePlayhead()
    }
    public func stop() {
        state.withLock { $0.isRunning = false }
        updatePlayhead()
    }
    public func hold() -> Int64? {
        state.withLock { state in
            guard state.isRunning, state.holds, state.buffered > 0 else { return nil }
            state.isHolding = true
            state.held = Array(state.buffer[state.head...])
            state.buffer = []
            state.head = 0
            state.source?.reset(to: state.taken)
            return state.taken
        }
    }
    public func replace(from frame: Int64) -> Int64 {
        let taken = state.withLock { state in
            let channels = state.format.channelCount
            let quick = state.haste.isEmpty ? 0 : min(state.haste.removeFirst(), state.held.count / channels)
            if quick > 0 {
                for index in 0..<quick { state.heard.append(Heard(frame: state.taken + Int64(index), value: state.held[index * channels])) }
                state.held.removeFirst(quick * channels)
                state.taken += Int64(quick)
                state.source?.reset(to: state.taken)
            } else {
                state.isHolding = false
                pull(&state)
            }
            return state.taken
        }
        updatePlayhead()
        return taken
    }
    public func flush() -> Int64 {
        let taken = state.withLock { state in
            state.isRunning = false
            state.isHolding = false
            state.buffer = []
            state.head = 0
            state.source?.reset(to: state.taken)
            return state.taken
        }
        updatePlayhead()
        return taken
    }
    public func sourceDidFill() { state.withLock { pull(&$0) } }
    public func close() {
        state.withLock { state in
            state.source = nil
            state.events = nil
            state.isRunning = false
        }
        updatePlayhead()
    }
    public func setVolume(_ volume: Float, isMuted: Bool) { state.withLock { ($0.volume, $0.isMuted) = (volume, isMuted) } }
    public var playhead: Playhead { cell.load() }
    public var description: OutputDescription { OutputDescription(kind: kind, id: "", name: "Capture") }
    public var isAudible: Bool { true }

    private func pull(_ state: inout State) {
        guard let source = state.source, !state.isHolding else { return }
        let channels = state.format.channelCount
        let freeFrames = Int(bufferSeconds * Double(state.format.sampleRate)) - state.buffered
        guard freeFrames > 0 else { return }
        if state.head > 0 {
            state.buffer.removeFirst(state.head)
            state.head = 0
        }
        var part = [Float](repeating: 0, count: freeFrames * channels)
        let count = part.withUnsafeMutableBufferPointer { source.render(into: $0.baseAddress!, frameCount: freeFrames) }
        state.buffer.append(contentsOf: part[..<(count * channels)])
    }

    private func updatePlayhead() {
        let (taken, running) = state.withLock { ($0.taken, $0.isRunning) }
        cell.store(Playhead(frame: taken, hostTime: clock.now, isRunning: running))
    }
}

extension OutputDriver {
    /// A driver whose only device is a sink that a test controls. The device counts as present when it is looked for.
    public static func capture(_ sink: CaptureSink) -> OutputDriver {
        OutputDriver(
            id: "capture", name: "Capture", isAutomatic: true,
            watch: { report in
                report(.present(devices: [""]))
                return true
            },
            provider: { _ in CaptureOutputProvider(sink) })
    }
}

/// A provider that returns the same sink at every call.
public struct CaptureOutputProvider: OutputProvider {
    public let sink: CaptureSink
    public init(_ sink: CaptureSink) { self.sink = sink }
    public func makeSink() -> any AudioSink { sink }
}
