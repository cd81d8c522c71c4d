/// What a command gave.
public enum PlayerReply: Sendable, Hashable {
    /// Done; the state after it is `RemotePlayer.state`.
    case done
    /// A seek ended: where it landed, where it was wanted, and whether it was the newest (`finished` false: a newer one superseded it).
    case seek(finished: Bool, time: Double, requested: Double)
    /// An entry is current; its item is in `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Entries are in the playlist.
    case entries(ids: [String])
}
