import Synchronization

/// Where an output is in playing what it was given: frame `frame` is (or will be, or was) heard at `hostTime`, and from then on
/// one frame each 1/sampleRate seconds while `isRunning`.
///
/// Frames are **output frames**: the count, since the engine started, of frames that a device has taken. A device that is stopped holds `frame`.
/// Where sound starts after a device latency, `hostTime` lies in the future and the playhead rests at `frame` until then.
public struct Playhead: Sendable, Hashable {
    public var frame: Int64
    public var hostTime: HostTime
    public var isRunning: Bool
    public init(frame: Int64, hostTime: HostTime, isRunning: Bool) {
        self.frame = frame
        self.hostTime = hostTime
        self.isRunning = isRunning
    }

    /// The frame heard at `time`, not limited to what has been written.
    public func frame(at time: HostTime, sampleRate: Int) -> Int64 {
        guard isRunning, time > hostTime else { return frame }
        return frame + Int64(((time - hostTime) * Double(sampleRate)).rounded(.down))
    }
}

/// A playhead that one thread stores and any thread loads, without a lock: the one atomic pair (frame, host time).
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
