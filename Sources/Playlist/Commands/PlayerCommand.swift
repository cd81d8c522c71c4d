/// A command of a remote. HTTP requests and WebSocket messages are decoded to commands; `PlaylistPlayer.perform` performs them.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at the given rate, or at `defaultRate` if the rate is nil. After the end of the last entry, starts that entry again.
    case play(rate: Double?)
    case pause
    case toggle
    case seek(SeekCommand)
    /// Replaces the playlist with one entry, whose playback starts at `startTime`, in seconds. `play`: true plays, false pauses, nil keeps the
    /// requested rate.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// Replaces the entries of the playlist. Entries that are given again, by their id or the location of their medium, are kept. If the current
    /// entry is kept, it plays on; otherwise the first entry without a known failure becomes current. `play`: true plays, false pauses, nil keeps
    /// the requested rate.
    case setQueue([EntrySpec], play: Bool?)
    /// Inserts entries after the entry with the id `after`, or at the end of the playlist if `after` is nil. If `play`, the first inserted entry
    /// without a known failure becomes current and plays.
    case insert([EntrySpec], after: String?, play: Bool)
    case removeEntry(String)
    /// Moves an entry to an index of the resulting playlist. An index beyond the end means the end.
    case moveEntry(String, to: Int)
    /// Makes an entry current and plays it from its start.
    case playEntry(String)
    /// Makes the next or the preceding entry current. The requested rate does not change.
    case next, previous
    /// Removes all entries.
    case clear
    case update(PlayerUpdate)
    case updateSession(AudioSessionUpdate)
    case setSleepTimer(SleepTimerSetting)
}
