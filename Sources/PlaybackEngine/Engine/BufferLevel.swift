/// The amount of an item's audio that is decoded and not yet heard.
public struct BufferLevel: Sendable, Hashable {
    /// Seconds of media that are decoded and not yet heard.
    public var seconds: Double
    public var isEmpty: Bool
    public var isFull: Bool
    /// Whether playback would probably continue without a stall if it started now (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
