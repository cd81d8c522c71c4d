/// An order to the feeder for the audio of a new generation: the audio of `item` from `position` on, in media frames. Forwards, the following items
/// are joined to the item. In reverse, the audio ends at the start of the item.
struct FeedOrder: Sendable {
    var generation: Int
    var item: ItemID
    var position: Int64
    /// The maximum number of frames by which the landing may precede `position` (`before`) or follow it (`after`).
    var before: Int64 = 0
    var after: Int64 = 0
    var format: AudioFormat
    var isReverse = false
    /// Whether the audio follows the audio of the same item that the engine keeps, without a gap. The generation then begins with `.join`.
    var isJoined = false
}
