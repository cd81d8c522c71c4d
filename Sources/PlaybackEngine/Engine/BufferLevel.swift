public import CoreMedia

/// The amount of an item's audio that is buffered and not yet heard: decoded audio, and of a remote medium also the compressed audio that was
/// transferred ahead.
public struct BufferLevel: Sendable, Hashable {
    /// The buffered audio in the direction of playback, in seconds of media. In reverse playback it is the decoded audio alone, because compressed
    /// audio is transferred only after the reader's position.
    public var seconds: Double
    /// The media time at which the buffered audio ends: after the heard position, or in reverse playback before it. Nil if nothing of the item has
    /// been rendered, so that no position of it is heard.
    public var end: CMTime?
    /// Whether no decoded audio is left, and the item's end is not decoded either.
    public var isEmpty: Bool
    /// Whether nothing more is buffered for now: the item's end is decoded, or all buffers have reached their capacity.
    public var isFull: Bool
    /// Whether playback would probably continue without a stall if it started now (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    public init(seconds: Double, end: CMTime? = nil, isEmpty: Bool, isFull: Bool, isLikelyToKeepUp: Bool) {
        self.seconds = seconds
        self.end = end
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
