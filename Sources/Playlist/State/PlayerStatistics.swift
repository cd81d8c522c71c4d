/// What has been counted since the start, and how things stand now.
public struct PlayerStatistics: Sendable, Hashable {
    /// How often a device had nothing to play although it should have had.
    public var underruns = 0
    /// How often playback had to wait for data.
    public var stalls = 0
    /// Corrupt packets that were replaced by silence.
    public var skippedPackets = 0
    /// Items that could not be opened, or could not go on.
    public var failedItems = 0
    /// Seconds of the current item that are decoded and not yet heard; nil where that is not known.
    public var bufferSeconds: Double?
    public init() {}
}
