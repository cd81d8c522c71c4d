public import Platform
import Synchronization

/// The progress of an output: output frame `frame` is heard at host time `hostTime`, which may be in the past or in the future. While the playhead is
/// running, one further frame is heard every 1/sampleRate seconds after `hostTime`.
///
/// Playheads count **output frames**: the frames that devices have taken since the engine started. The playhead of a stopped device stays at `frame`.
/// If audio is heard only after a latency of the device, `hostTime` is in the future, and the playhead stays at `frame` until that time.
public struct Playhead: Sendable, Hashable {
    public var frame: Int64
    public var hostTime: HostTime
    public var isRunning: Bool
    public init(frame: Int64, hostTime: HostTime, isRunning: Bool) {
        self.frame = frame
        self.hostTime = hostTime
        self.isRunning = isRunning
    }

    /// Returns the number of the output frame that is heard at `time`. The returned number may exceed the number of the last written frame.
    public func frame(at time: HostTime, sampleRate: Int) -> Int64 {
        guard isRunning, time > hostTime else { return frame }
        return frame + Int64(((time - hostTime) * Double(sampleRate)).rounded(.down))
    }
}

/// The storage of a playhead: one thread stores the playhead and any thread loads it, without a lock. The frame and the host time of the stored
/// playhead are one atomic pair.
public final class PlayheadCell: Sendable {
    private let pair = Atomic<WordPair>(WordPair(first: 0, second: 0))
    public init() {}
    public func store(_ playhead: Playhead) {
        let first = UInt(bitPattern: Int(playhead.frame &<< 1)) | (playhead.isRunning ? 1 : 0)
        pair.store(WordPair(first: first, second: UInt(bitPattern: Int(playhead.hostTime.nanoseconds))), ordering: .releasing)
    }
    public func load() -> Playhead {
        let value = pair.load(ordering: .acquiring)
        return Playhead(
            frame: Int64(Int(bitPattern: value.first) >> 1), hostTime: HostTime(nanoseconds: Int64(Int(bitPattern: value.second))),
            isRunning: value.first & 1 == 1)
    }
}
