public import CoreMedia

/// A request to the engine to open an item.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// Exact to the sample; zero is the item's start (R-ITEM-03).
    public var startTime: CMTime
    /// The end of forward playback; ignored if not numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// The end of backward playback; ignored if not numeric (R-END-01).
    public var reverseEndTime: CMTime
    public var loop: LoopRange?
    /// Delivers the decoded audio to listeners; nil if the item cannot have them.
    public var tap: SampleTap?

    public init(
        item: ItemID, source: MediaSource, startTime: CMTime = .zero, forwardEndTime: CMTime = .invalid, reverseEndTime: CMTime = .invalid,
        loop: LoopRange? = nil, tap: SampleTap? = nil
    ) {
        self.item = item
        self.source = source
        self.startTime = startTime
        self.forwardEndTime = forwardEndTime
        self.reverseEndTime = reverseEndTime
        self.loop = loop
        self.tap = tap
    }
}
