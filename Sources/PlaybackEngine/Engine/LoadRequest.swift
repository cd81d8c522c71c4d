public import CoreMedia

/// An item for the engine to open.
public struct LoadRequest: Sendable, Hashable {
    public var item: ItemID
    public var source: MediaSource
    /// Where to begin; zero for the start. Honoured from the first sample (R-ITEM-03).
    public var startTime: CMTime
    /// Play no further than this, where numeric (R-END-01).
    public var forwardEndTime: CMTime
    /// Play backwards no further than this, where numeric (R-END-01).
    public var reverseEndTime: CMTime
    /// Hands its decoded sound to those who listen, nil where nobody can.
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
