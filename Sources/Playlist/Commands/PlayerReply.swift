/// The result of a command to the player.
public enum PlayerReply: Sendable, Hashable {
    /// The command is complete, and `RemotePlayer.state` shows its effect.
    case done
    /// A seek has ended. The value `time` is the position after the seek, and `requested` is the requested position, both in seconds of media time.
    /// The value `finished` is false if the seek did not reach its position, for example because a newer seek superseded it.
    case seek(finished: Bool, time: Double, requested: Double)
    /// An entry of the playlist became current. The item of the current entry is `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Entries were added to the playlist, or have replaced its entries. `ids` contains the ids of the requested entries, in the requested order;
    /// entries that were kept keep their ids.
    case entries(ids: [String])
    /// An edit of the playlist was reverted or repeated.
    case edit(QueueEdit)
}
