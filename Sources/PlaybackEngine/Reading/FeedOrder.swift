/// What a generation is to hold: an item from a position on, delivered as `format`, forwards with those that follow it, or backwards to its start.
struct FeedOrder: Sendable {
    var generation: Int
    var item: ItemID
    var position: Int64
    /// How far from `position` it may begin.
    var before: Int64 = 0
    var after: Int64 = 0
    var format: AudioFormat
    var isReverse = false
}
