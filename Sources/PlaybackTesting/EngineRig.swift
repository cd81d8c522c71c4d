public import CoreMedia
import Platform
public import PlaybackEngine
import Synchronization

/// An engine with scripted media, a recording device and a virtual clock, which passes only in `play`. Used only by the test that created it.
public final class EngineRig {
    public let clock = VirtualClock()
    public let opener: ScriptedOpener
    public let sink: CaptureSink
    public let fallback: CaptureSink
    public let engine: SteppedEngine
    private let log = RecordedEvents()

    /// Creates the rig. The engine opens `sink`; a test moves it to `fallback`.
    public init(_ scripts: [String: RampReader.Script]) {
        opener = ScriptedOpener(scripts)
        sink = CaptureSink(clock: clock)
        fallback = CaptureSink(clock: clock, kind: "fallback")
        engine = SteppedEngine(opener: opener, output: CaptureOutputProvider(sink), clock: clock, events: { [log] in log.append($0) })
    }

    /// Sends the commands, then steps the engine until it is idle.
    public func send(_ commands: TestCommand...) {
        for command in commands { engine.send(command) }
        engine.settle()
    }

    /// Plays in steps of `quantum` frames, and returns the frames that were played.
    @discardableResult public func play(frames: Int, quantum: Int = 441) -> [CaptureSink.Heard] {
        var heard: [CaptureSink.Heard] = []
        var left = frames
        while left > 0 {
            let count = min(quantum, left)
            let device = sink.isOpen ? sink : fallback
            clock.advance(by: Double(count) / Double(device.opens.last?.sampleRate ?? 44_100))
            device.play(frames: count)
            engine.settle()
            heard += device.takeHeard()
            left -= count
        }
        return heard
    }

    /// Returns the events since the last call.
    public func takeEvents() -> [EngineEvent] { log.take() }
    /// Returns the changes of the output since the last call of `takeEvents` or `takeOutputs`.
    public func takeOutputs() -> [(output: OutputDescription, format: AudioFormat, cause: OutputChangeCause)] {
        takeEvents().compactMap { if case .outputChanged(let output, let format, _, let cause) = $0 { (output, format, cause) } else { nil } }
    }
    public var now: PlaybackInstant { engine.clock.now() }

    public static func request(_ id: UInt64, _ path: String, start: CMTime = .zero) -> LoadRequest {
        LoadRequest(item: ItemID(rawValue: id), source: MediaSource(.file(path: path)), startTime: start)
    }
}

private final class RecordedEvents: Sendable {
    private let events = Mutex<[EngineEvent]>([])
    func append(_ event: EngineEvent) { events.withLock { $0.append(event) } }
    func take() -> [EngineEvent] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}
