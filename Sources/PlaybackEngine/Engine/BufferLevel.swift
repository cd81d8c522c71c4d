/// How far the engine is ahead of the ear for the current item.
public struct BufferLevel: Sendable, Hashable {
    /// Seconds of media decoded and not yet heard.
    public var seconds: Double
    public var isEmpty: Bool
    public var isFull: Bool
    /// Playback started now would go on without a stall, as far as can be foretold (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
