import Synchronization

/// The progress of an output. Frame `frame` is heard at `hostTime`, which may be in the past or in the future. While `isRunning`, one more frame is
/// heard every 1/sampleRate seconds from then on.
///
/// Frames are **output frames**: they count the frames that devices have taken since the engine started. The playhead of a stopped device rests at
/// `frame`. If audio is heard only after a device latency, `hostTime` is in the future, and the playhead rests at `frame` until then.
public struct Playhead: Sendable, Hashable {
    public var frame: Int64
    public var hostTime: HostTime
    public var isRunning: Bool
    public init(frame: Int64, hostTime: HostTime, isRunning: Bool) {
        self.frame = frame
        self.hostTime = hostTime
        self.isRunning = isRunning
    }

    /// Returns the frame heard at `time`. It is not limited to the frames that have been written.
    public func frame(at time: HostTime, sampleRate: Int) -> Int64 {
        guard isRunning, time > hostTime else { return frame }
        return frame + Int64(((time - hostTime) * Double(sampleRate)).rounded(.down))
    }
}

/// A playhead that one thread stores and any thread loads, without a lock. Frame and host time are one atomic pair.
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
