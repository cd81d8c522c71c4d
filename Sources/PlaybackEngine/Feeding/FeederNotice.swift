/// A notice from the feeder to the engine, by a mailbox, independent of the audio in the tape.
enum FeederNotice: Sendable {
    case opened(ItemID, MediaInfo)
    case failed(ItemID, PlaybackError)
    case seekFailed(Tape.WriteEnd, PlaybackError)
    case durationChanged(ItemID, MediaDuration)
    case positionEstimated(ItemID, Bool)
    case packetsSkipped(ItemID, Int)
}
