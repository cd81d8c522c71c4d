/// The player's counters since the start of the program, and the duration of the buffered audio.
public struct PlayerStatistics: Sendable, Hashable {
    /// The number of underruns: the device needed frames that had not been rendered.
    public var underruns = 0
    /// The number of stalls, in which playback waited for media data.
    public var stalls = 0
    /// The number of corrupt packets that were replaced by silence.
    public var skippedPackets = 0
    /// The number of rendered frames with a sample over full scale after the volume was applied. A device with integer samples clips such samples.
    /// Frames that were rendered again, after a seek for example, count again.
    public var clippedFrames = 0
    /// The number of items that could not be opened, or whose playback failed.
    public var failedItems = 0
    /// The duration of the current item's audio that is decoded and not heard yet, in seconds; nil if this duration is unknown.
    public var bufferSeconds: Double?
    public init() {}
}
