/// The result of a command.
public enum PlayerReply: Sendable, Hashable {
    /// The command is complete. `RemotePlayer.state` is the state after it.
    case done
    /// A seek has ended, with the position that it reached and the requested one. `finished` is false if a newer seek superseded it.
    case seek(finished: Bool, time: Double, requested: Double)
    /// An entry became current. Its item is `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Entries were added to the playlist.
    case entries(ids: [String])
}
