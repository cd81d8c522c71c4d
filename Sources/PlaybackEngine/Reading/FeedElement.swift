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
    /// The positions in the elements before this one need a correction; those after it have it already. The audio continues without a gap.
    case correction(PositionCorrection)
}

/// A correction of the estimated positions of an item's audio: they have become exact (R-SEEK-24), or are estimated better (R-SEEK-25).
struct PositionCorrection: Sendable {
    var item: ItemID
    /// The number of media frames by which the positions were too small.
    var frames: Int64
    /// Whether the corrected positions are exact.
    var isExact: Bool
}

extension FeedElement {
    /// Returns the element after a correction: if the element belongs to `item` and has a position, this position is increased by `frames`; otherwise
    /// the element is unchanged.
    func corrected(_ item: ItemID, by frames: Int64) -> FeedElement {
        switch self {
        case .start(item, let position): .start(item, position: position + frames)
        case .join(item, let position, let isTurn): .join(item, position: position + frames, isTurn: isTurn)
        case .end(item, let position): .end(item, position: position + frames)
        case .block(item, let block): .block(item, block.moved(by: frames))
        default: self
        }
    }

    /// Whether the element ends the audio of `item`: it is the item's end, or the failure of the item's reader.
    func ends(_ item: ItemID) -> Bool {
        switch self {
        case .end(item, _), .broken(item, _): true
        default: false
        }
    }
}
