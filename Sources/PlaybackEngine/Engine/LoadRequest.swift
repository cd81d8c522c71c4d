public import CoreMedia

/// An item for the engine to open.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// The position at which playback begins, exact to the sample; zero for the start (R-ITEM-03).
    public var startTime: CMTime
    /// The position at which forward playback ends, if it is numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// The position at which backward playback ends, if it is numeric (R-END-01).
    public var reverseEndTime: CMTime
    /// Delivers the item's decoded audio to listeners; nil if it can have none.
    public var tap: SampleTap?

    public init(
        item: ItemID, source: MediaSource, startTime: CMTime = .zero, forwardEndTime: CMTime = .invalid, reverseEndTime: CMTime = .invalid,
        tap: SampleTap? = nil
    ) {
        self.item = item
        self.source = source
        self.startTime = startTime
        self.forwardEndTime = forwardEndTime
        self.reverseEndTime = reverseEndTime
        self.tap = tap
    }
}
