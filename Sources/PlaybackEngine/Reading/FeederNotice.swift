/// What the feeder tells outside the stream of elements.
enum FeederNotice: Sendable {
    case opened(ItemID, MediaInfo)
    case failed(ItemID, PlaybackError)
    case seekFailed(generation: Int, PlaybackError)
    case durationChanged(ItemID, MediaDuration)
    case packetsSkipped(ItemID, Int)
}
