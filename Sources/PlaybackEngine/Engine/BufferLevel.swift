public import CoreMedia

/// The audio of an item that is buffered and not yet heard: decoded, and of a remote medium also transferred ahead.
public struct BufferLevel: Sendable, Hashable {
    /// In the direction of playback, in seconds of media. In reverse only decoded audio: transfers are ahead of the reader.
    public var seconds: Double
    /// Where the buffered audio ends; nil if nothing has been rendered.
    public var end: CMTime?
    /// No decoded audio is left, and the item's end is not decoded either.
    public var isEmpty: Bool
    /// Nothing more is buffered for now: the item's end is decoded, or all buffers are full.
    public var isFull: Bool
    /// Playback would probably continue without a stall if it started now (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, end: CMTime? = nil, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.end = end
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
