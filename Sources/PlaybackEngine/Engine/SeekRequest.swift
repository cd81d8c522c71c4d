public import CoreMedia

/// A seek of the current item.
public struct SeekRequest: Sendable, Hashable {
    /// The number of the seek, which increases with each seek. The engine carries out only the newest seek.
    public var id: UInt64
    public var item: ItemID
    public var time: CMTime
    public var toleranceBefore: CMTime
    public var toleranceAfter: CMTime
    /// Whether the landing may rest on an estimate (`AudioReader.isPositionEstimated`).
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
