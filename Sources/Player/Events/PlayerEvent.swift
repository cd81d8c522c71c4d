import AVFoundation

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
    /// The start or end of an interruption of the audio session. The event `interruption` is sent after the event of the resulting change of
    /// the rate (R-RDC-05).
    case interruption(AudioSessionState.Interruption)
    case routeDidChange(AudioSessionState.RouteChange)
    /// Another entry is current, and its medium was opened or has failed; or no entry is current any more.
    case currentItemDidChange(CurrentItemChange)
    /// An entry could not be opened, or could not be played further.
    case entryDidFail(entryID: String, url: String, PlayerState.Failure)
}

/// A message from a player to its observers.
public enum PlayerNotice: Sendable {
    /// The player's state, sent after it has changed: at the end of a client's command; otherwise at the end of the turn (job) of the main actor that
    /// has changed it.
    case state(PlayerState)
    /// An event of the player. Observers receive an event before the state that shows the event's effect.
    case event(PlayerEvent)
}

/// A change of the current entry. It is reported after the medium of the new entry was opened, so that its tags are known, or after the
/// medium has failed.
public struct CurrentItemChange: Sendable, Hashable {
    /// The new current item; nil if no entry is current.
    public var item: PlayerState.Item?
    /// The index of the current entry; −1 if no entry is current.
    public var index: Int
    /// The cause for which the entry became current.
    public var cause: PlayerState.Change
    public init(item: PlayerState.Item?, index: Int, cause: PlayerState.Change) { self.item = item; self.index = index; self.cause = cause }
}

/// Compares consecutive states of the player, and finds the changes of the current entry that have to be reported to observers.
struct CurrentItemTracker {
    /// The id of the current entry that was reported last, and the id of the present current entry with the cause for which it became current.
    private var reportedID: String?
    private var present: (id: String?, cause: PlayerState.Change)?

    /// Processes the next published state of the player. Returns the change of the current entry that has to be reported with this state; nil if
    /// there is none.
    mutating func take(_ state: PlayerState) -> CurrentItemChange? {
        let id = state.currentItem?.id
        if present == nil || present?.id != id { present = (id, state.lastChange) }
        guard id != reportedID, state.currentItem?.status != .unknown, let cause = present?.cause else { return nil }
        reportedID = id
        return CurrentItemChange(item: state.currentItem, index: state.queue.index, cause: cause)
    }
}
