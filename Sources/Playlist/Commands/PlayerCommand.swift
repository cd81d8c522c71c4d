public import PlaybackEngine

/// A command of a remote. HTTP requests and WebSocket messages are decoded to commands; `PlaylistPlayer.perform` performs them.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at the rate `rate`, or at `defaultRate` if `rate` is nil. If the last entry has ended, plays the last entry again. The volume rises from
    /// 0 during `fade` seconds, from the moment at which the audio starts.
    ///
    /// If the moment `at` is not nil, the first frame is heard at this moment, and the player stays paused until then.
    case play(rate: Double?, fade: Double = 0, at: StartMoment? = nil)
    case pause
    /// Lowers the volume to 0 during a number of seconds, then pauses and restores the volume.
    case fadeToPause(seconds: Double)
    /// Adds `by` to the volume, and limits the result to 0…1. The volume changes during `fade` seconds.
    case changeVolume(by: Double, fade: Double = 0)
    case toggle
    case seek(SeekCommand)
    /// Repeats the part of the current item from `start` to `end`, in seconds of media time.
    case setLoop(start: Double, end: Double)
    /// Ends the repetition of a part of the current item. Playback continues from the present position without a jump.
    case clearLoop
    /// Replaces the playlist with one entry. Playback of the entry starts at `startTime`, in seconds of media time, but only this first time. `play`:
    /// true plays, false pauses, nil keeps the requested rate.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// Replaces the entries of the playlist. Entries that are given again, by their id or the location of their medium, are kept. `play`: true plays,
    /// false pauses, nil keeps the requested rate.
    ///
    /// With a start, the first entry without a known failure from the start's index on becomes current; if there is none, the entry at this index.
    /// `start.time` is used only if the entry at this index becomes current. Without a start, a current entry that is kept and has not failed stays
    /// current, and is played on without an interruption; otherwise the first entry without a known failure becomes current.
    case setQueue([EntrySpec], start: QueueStart? = nil, play: Bool?)
    /// Inserts entries at a position of the playlist. If `play`, the first inserted entry without a known failure becomes current and plays.
    case insert([EntrySpec], at: QueuePlace, play: Bool)
    case removeEntry(String)
    /// Removes entries. If the playlist does not have one of them, none is removed.
    case removeEntries([String])
    /// Removes the entries that follow the current entry in the playback order.
    case removeUpcoming
    /// Moves an entry to an index of the resulting playlist. An index beyond the end of the playlist means its end.
    case moveEntry(String, to: Int)
    /// Moves distinct entries, in their given order, to a position in the display order or the playback order (`order`). If the playlist does not
    /// have one of them, none is moved.
    case moveEntries([String], to: QueuePlace, order: QueueOrder)
    /// Reverts the last edit of the playlist, or repeats the edit that was reverted last.
    case undo, redo
    /// Makes an entry current and plays it from its own start position, otherwise from the remembered position of its medium, otherwise from the
    /// start.
    case playEntry(String)
    /// Makes the next or the preceding entry of the playlist current, and keeps the requested rate.
    case next, previous
    /// Removes all entries of the playlist.
    case clear
    case update(PlayerUpdate)
    case updateSession(AudioSessionUpdate)
    case setSleepTimer(SleepTimerSetting)
    /// Sets how the sample rate of a device is chosen. If `device` is nil, sets the choice for all devices that have no choice of their own.
    case setOutputRate(OutputRate, device: String?)
}
