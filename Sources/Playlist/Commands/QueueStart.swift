/// The entry of a new queue at which playback starts.
public struct QueueStart: Sendable, Hashable {
    /// The index of the entry in the new queue.
    public var index: Int
    /// The position at which playback of the entry starts this first time, in seconds of media time; nil means the entry's own start position.
    public var time: Double?
    public init(index: Int, time: Double? = nil) { self.index = index; self.time = time }
}
