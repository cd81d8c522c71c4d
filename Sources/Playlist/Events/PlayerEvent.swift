/// An event of a player. A change of the player's state is a separate notice (`PlayerNotice.state`).
public enum PlayerEvent: Sendable, Hashable {
    /// A change of the requested rate. Each change of the requested rate sends exactly one event. The value `reason` is one of `setRateCalled`,
    /// `setRateFailed`, `audioSessionInterrupted`, `appBackgrounded`, `none`.
    case rateDidChange(rate: Double, reason: PlayerState.Reason, origin: String)
    case timeJumped(itemID: String, time: Double)
    case didPlayToEndTime(itemID: String)
    case failedToPlayToEndTime(itemID: String, PlayerState.Failure)
    case playbackStalled(itemID: String)
    /// The connection to the medium of the current entry was lost, or another attempt to restore it has failed. If the second value is nil, the
    /// connection works again.
    case networkDidChange(itemID: String, PlayerState.Network?)
    /// A change of the playlist, of its current or next entry, or of an entry's known properties.
    case queueDidChange(QueueUpdate)
    /// New metadata of the current entry, or of an entry that was opened before it became current.
    case metadataDidChange(PlayerState.Item)
    /// The start or end of an interruption of the audio session. The event `interruption` is sent after the event of the resulting change of the rate
    /// (R-RDC-05).
    case interruption(AudioSessionState.Interruption)
    case routeDidChange(AudioSessionState.RouteChange)
    /// Another entry is current, and its medium was opened or has failed; or no entry is current any more.
    case currentItemDidChange(CurrentItemChange)
    /// An entry could not be opened, or could not be played further.
    case entryDidFail(entryID: String, url: String, PlayerState.Failure)
}
