/// A command of a remote. HTTP requests and WebSocket messages are decoded to commands; `PlaylistPlayer.perform` performs them.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at the given rate, or at `defaultRate`. After the end of the last entry, starts that entry again.
    case play(rate: Double?)
    case pause
    case toggle
    case seek(SeekCommand)
    /// Replaces the playlist with this entry.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// Replaces the playlist with these entries. The first one that is not known to be unplayable becomes current.
    case setQueue([EntrySpec], play: Bool?)
    /// Inserts entries after the entry `after`, or at the end. If `play`, the first of them becomes current and plays.
    case insert([EntrySpec], after: String?, play: Bool)
    case removeEntry(String)
    /// Moves an entry to an index of the resulting list. An index beyond the end means the end.
    case moveEntry(String, to: Int)
    /// Makes an entry current and plays.
    case playEntry(String)
    /// Makes the next or the preceding entry current. The requested rate does not change.
    case next, previous
    /// Removes all entries.
    case clear
    case update(PlayerUpdate)
    case updateSession(AudioSessionUpdate)
    case setSleepTimer(SleepTimerSetting)
}
