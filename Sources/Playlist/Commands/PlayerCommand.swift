/// What a remote can ask of the player. REST and WebSocket decode to these; `PlaylistPlayer.perform` is the one place where each is understood.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at the given rate, or at `defaultRate`. At the end of the last entry it starts that again.
    case play(rate: Double?)
    case pause
    case toggle
    case seek(SeekCommand)
    /// A playlist of this one entry.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// A playlist of these entries, the first one that may be playable current.
    case setQueue([EntrySpec], play: Bool?)
    /// Entries behind the entry `after`, or at the end. `play`: the first of them is current and plays.
    case insert([EntrySpec], after: String?, play: Bool)
    case removeEntry(String)
    /// To an index of the list as it is afterwards; one beyond its end is the end.
    case moveEntry(String, to: Int)
    /// Makes an entry current and plays.
    case playEntry(String)
    /// The next entry, or the one before; the requested rate stays.
    case next, previous
    /// An empty playlist.
    case clear
    case update(PlayerUpdate)
    case updateSession(AudioSessionUpdate)
    case setSleepTimer(SleepTimerSetting)
}
