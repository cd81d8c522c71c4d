import Platform
public import PlaybackEngine
import Synchronization

/// The test sets its playhead; it takes no frames.
public final class ScriptedSink: AudioSink {
    private let current: Mutex<Playhead>
    public let description: OutputDescription

    public init(description: OutputDescription = OutputDescription(kind: "null", id: "scripted", name: "Scripted output")) {
        self.description = description
        current = Mutex(Playhead(frame: 0, hostTime: HostTime(nanoseconds: 0), isRunning: false))
    }

    public var playhead: Playhead {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
    public var isAudible: Bool { false }

    public func open(_ format: AudioFormat, source: RenderRing, base: Int64, events: @escaping @Sendable (AudioSinkEvent) -> Void) {}
    public func start() {}
    public func stop() {}
    public func flush() -> Int64 { playhead.frame }
    public func sourceDidFill() {}
    public func close() {}
    public func setVolume(_ volume: Float, isMuted: Bool) {}
}
