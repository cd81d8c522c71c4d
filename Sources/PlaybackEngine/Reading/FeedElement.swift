/// What the feeder hands to the engine, in the order in which it is to be heard.
enum FeedElement: Sendable {
    /// Blocks of `item` follow, the first at `position`. The first of a generation is its landing.
    case start(ItemID, position: Int64)
    case block(ItemID, AudioBlock)
    /// The item's last frame was the one before `position`.
    case end(ItemID, position: Int64)
    /// The item cannot go on; what was handed over before is good.
    case broken(ItemID, PlaybackError)
    /// Everything behind the end of `item` that was handed over before is void: other items follow it now.
    case truncate(after: ItemID)
}
