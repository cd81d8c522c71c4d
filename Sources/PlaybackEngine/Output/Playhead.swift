public import Platform
import Synchronization

/// The frame that is heard at a host time: output frame `frame` at `hostTime`, and while running one further frame every 1/sampleRate seconds.
///
/// **Output frames** count what devices have taken since the engine started. A stopped playhead stays at `frame`; a `hostTime` in the future, because
/// of a latency, keeps it there until then.
public struct Playhead: Sendable, Hashable {
    public var frame: Int64
    public var hostTime: HostTime
    public var isRunning: Bool
    public init(frame: Int64, hostTime: HostTime, isRunning: Bool) {
        self.frame = frame
        self.hostTime = hostTime
        self.isRunning = isRunning
    }

    /// The frame that is heard at a host time; may exceed the last written frame.
    public func frame(at time: HostTime, sampleRate: Int) -> Int64 {
        guard isRunning, time > hostTime else { return frame }
        return frame + Int64(((time - hostTime) * Double(sampleRate)).rounded(.down))
    }
}

/// A playhead that one thread stores and any thread loads, without a lock: frame and host time are one atomic pair.
public final class PlayheadCell: Sendable {
    private let pair = Atomic<WordPair>(WordPair(first: 0, second: 0))
    private let latencyBits = Atomic<UInt64>(0)
    public init() {}
    public func store(_ playhead: Playhead) {
        let first = UInt(bitPattern: Int(playhead.frame &<< 1)) | (playhead.isRunning ? 1 : 0)
        pair.store(WordPair(first: first, second: UInt(bitPattern: Int(playhead.hostTime.nanoseconds))), ordering: .releasing)
    }
    /// The time from the device's taking of a frame until it is heard, in seconds, as it was measured last.
    public var latency: Double { Double(bitPattern: latencyBits.load(ordering: .relaxed)) }
    public func store(latency: Double) { latencyBits.store(latency.bitPattern, ordering: .relaxed) }
    public func load() -> Playhead {
        let value = pair.load(ordering: .acquiring)
        return Playhead(
            frame: Int64(Int(bitPattern: value.first) >> 1), hostTime: HostTime(nanoseconds: Int64(Int(bitPattern: value.second))),
            isRunning: value.first & 1 == 1)
    }
}
