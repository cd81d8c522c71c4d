/// The result of a command.
public enum PlayerReply: Sendable, Hashable {
    /// The command is complete. `RemotePlayer.state` shows the command's effect.
    case done
    /// A seek has ended. `time` is the position after the seek, `requested` the requested position, both in seconds of media time. `finished` is
    /// false if the seek did not reach its position, for example because a newer seek superseded it.
    case seek(finished: Bool, time: Double, requested: Double)
    /// An entry became current. The item of that entry is `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Entries were added to the playlist. `ids` contains the ids of the new entries, in the requested order.
    case entries(ids: [String])
}
