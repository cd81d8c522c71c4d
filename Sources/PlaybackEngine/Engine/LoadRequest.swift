public import CoreMedia

/// A request to the engine to open an item.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// The media position at which playback begins, exact to the sample; a start time of zero is the item's start (R-ITEM-03).
    public var startTime: CMTime
    /// The media position at which forward playback ends; ignored if the time is not numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// The media position at which backward playback ends; ignored if the time is not numeric (R-END-01).
    public var reverseEndTime: CMTime
    /// The part of the item that is repeated; nil if nothing is repeated.
    public var loop: LoopRange?
    /// The tap that delivers the item's decoded audio to listeners; nil if the item cannot have listeners.
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
