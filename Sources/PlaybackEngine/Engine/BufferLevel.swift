/// The amount of an item's audio that is buffered and not yet heard: decoded audio, and of a remote medium also the compressed audio that was
/// transferred ahead.
public struct BufferLevel: Sendable, Hashable {
    /// The buffered audio, in seconds of media.
    public var seconds: Double
    /// Whether no decoded audio is left, and the item's end is not decoded either.
    public var isEmpty: Bool
    /// Whether nothing more is buffered for now: the item's end is decoded, or all buffers have reached their capacity.
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
