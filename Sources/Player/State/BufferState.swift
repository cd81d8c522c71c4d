/// The buffer of the current item, with AVFoundation's names.
public struct BufferState: Sendable, Hashable {
    public var itemID: String
    /// The available ranges of the item, in media time (R-BUF-01).
    public var loaded: [ItemDetails.TimeRange]
    /// The seekable ranges of the item, in media time (R-BUF-02).
    public var seekable: [ItemDetails.TimeRange]
    /// Whether all available audio of the item has been heard (R-BUF-03).
    public var isEmpty: Bool
    /// Whether the item's buffer has reached its capacity (R-BUF-04).
    public var isFull: Bool
    /// Whether playback is expected to continue without a stall (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    /// Makes the description of an item's buffer.
    ///
    /// - Parameters:
    ///   - itemID: The playlist entry's stable id.
    ///   - loaded: The available ranges of the item, in media time.
    ///   - seekable: The seekable ranges of the item, in media time.
    ///   - isEmpty: Whether all available audio of the item has been heard.
    ///   - isFull: Whether the item's buffer has reached its capacity.
    ///   - isLikelyToKeepUp: Whether playback is expected to continue without a stall.
    public init(
        itemID: String, loaded: [ItemDetails.TimeRange] = [], seekable: [ItemDetails.TimeRange] = [], isEmpty: Bool = true, isFull: Bool = false,
        isLikelyToKeepUp: Bool = false
    ) {
        self.itemID = itemID
        self.loaded = loaded
        self.seekable = seekable
        self.isEmpty = isEmpty
        self.isFull = isFull
        self.isLikelyToKeepUp = isLikelyToKeepUp
    }
}
