/// What happened, for the event stream. A change of the state is another notice (`PlayerNotice.state`).
public enum PlayerEvent: Sendable, Hashable {
    /// Exactly one for each change of the requested rate. `reason`: `setRateCalled`, `setRateFailed`, `audioSessionInterrupted`, `appBackgrounded`, `none`.
    case rateDidChange(rate: Double, reason: PlayerState.Reason, origin: String)
    case timeJumped(itemID: String, time: Double)
    case didPlayToEndTime(itemID: String)
    case failedToPlayToEndTime(itemID: String, PlayerState.Failure)
    case playbackStalled(itemID: String)
    /// The playlist, what is current or next in it, or what is known of an entry.
    case queueDidChange(QueueSummary)
    /// What an entry's medium says of itself is known, or is otherwise than before: of the current entry, or of one that is opened ahead.
    case metadataDidChange(PlayerState.Item)
    /// The audio session was interrupted, or is no longer; the change of the rate that it brought has been told by then (R-RDC-05).
    case interruption(AudioSessionState.Interruption)
    case routeDidChange(AudioSessionState.RouteChange)
}
