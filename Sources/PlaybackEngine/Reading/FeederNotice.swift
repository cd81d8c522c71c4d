/// A notice of the feeder to the engine. Notices are sent by a mailbox, independently of the elements in `FeedQueue`.
enum FeederNotice: Sendable {
    case opened(ItemID, MediaInfo)
    case failed(ItemID, PlaybackError)
    case seekFailed(generation: Int, PlaybackError)
    case durationChanged(ItemID, MediaDuration)
    case packetsSkipped(ItemID, Int)
}
