public import CoreMedia

/// A seek of the current item.
public struct SeekRequest: Sendable, Hashable {
    /// Increases with each seek; only the newest is carried out.
    public var id: UInt64
    public var item: ItemID
    public var time: CMTime
    public var toleranceBefore: CMTime
    public var toleranceAfter: CMTime
    /// The landing may rest on an estimate (`AudioReader.isPositionEstimated`).
    public var allowsEstimate: Bool

    public init(
        id: UInt64, item: ItemID, time: CMTime, toleranceBefore: CMTime = .zero, toleranceAfter: CMTime = .zero, allowsEstimate: Bool = false
    ) {
        self.id = id
        self.item = item
        self.time = time
        self.toleranceBefore = toleranceBefore
        self.toleranceAfter = toleranceAfter
        self.allowsEstimate = allowsEstimate
    }
}
