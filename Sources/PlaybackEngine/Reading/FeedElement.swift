/// An element of the queue from the feeder to the engine (`FeedQueue`). The elements of the queue are in the order of playback.
enum FeedElement: Sendable {
    /// The start of an item's audio. The first block of the item begins at `position`, in media frames; in reverse, the first block ends at
    /// `position`. In the first element of a generation (the audio of one order to the feeder), `position` is the landing: the position that the
    /// reader reached.
    case start(ItemID, position: Int64)
    case block(ItemID, AudioBlock)
    /// The audio of the item continues without a gap at `position`, in media frames: after the turn of a loop (`isTurn`), or after audio was ordered
    /// again.
    case join(ItemID, position: Int64, isTurn: Bool)
    /// The end of an item's audio, in media frames. In forward playback, `position` is the frame after the last one that is played; in reverse
    /// playback, it is the last frame that is played.
    case end(ItemID, position: Int64)
    /// The item could not be read further. The queue's elements before `broken` are valid.
    case broken(ItemID, PlaybackError)
    /// The list of following items has changed. If the engine has already taken elements that follow the end of `item`, it has to discard them.
    case truncate(after: ItemID)

    /// Whether the element ends the audio of `item`: it is the item's end, or the failure of the item's reader.
    func ends(_ item: ItemID) -> Bool {
        switch self {
        case .end(item, _), .broken(item, _): true
        default: false
        }
    }
}
