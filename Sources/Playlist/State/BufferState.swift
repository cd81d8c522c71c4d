/// What the current item has at hand, and whether that is enough. Names are AVFoundation's.
public struct BufferState: Sendable, Hashable {
    public var itemID: String
    /// What is at hand (R-BUF-01), and where it can be sought (R-BUF-02).
    public var loaded: [ItemDetails.TimeSpan]
    public var seekable: [ItemDetails.TimeSpan]
    /// Everything that was at hand has been heard (R-BUF-03).
    public var isEmpty: Bool
    /// There is no room for more (R-BUF-04).
    public var isFull: Bool
    /// Playback would go on without a stall, as far as can be foretold (R-BUF-05).
    public var isLikelyToKeepUp: Bool
    /// The buffer of an item.
    ///
    /// - Parameters:
    ///   - itemID: the playlist entry's stable id.
    ///   - loaded: what is at hand.
    ///   - seekable: where it can be sought.
    ///   - isEmpty: everything that was at hand has been heard.
    ///   - isFull: there is no room for more.
    ///   - isLikelyToKeepUp: playback would go on without a stall.
    public init(
        itemID: String, loaded: [ItemDetails.TimeSpan] = [], seekable: [ItemDetails.TimeSpan] = [], isEmpty: Bool = true, isFull: Bool = false,
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
