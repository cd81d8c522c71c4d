public import AVFoundation
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

/// A partial change of the player's settings; a nil property means no change. The remote control refuses values out of range before it creates an
/// update.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    /// The duration in which the volume changes to the new one, in seconds; nil means immediately.
    public var volumeFade: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// The seed of the shuffle: the same entries and the same seed give the same playback order. An update with a seed shuffles the playlist, even if
    /// the playlist is already shuffled.
    public var shuffleSeed: UInt64?
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public var isConsuming: Bool?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public init() {}
}

/// A partial change of the audio session; a nil property means no change. A new category of the audio session resets its mode to the default and
/// removes its options, unless the update also has a mode or options.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: AVAudioSession.Category?
    public var mode: AVAudioSession.Mode?
    public var options: AVAudioSession.CategoryOptions?
    /// Whether the audio session becomes active; deactivating the audio session also pauses playback.
    public var isActive: Bool?
    public init() {}
}

/// The setting of the sleep timer, which pauses playback.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    /// Playback pauses the given number of seconds after the command.
    case after(seconds: Double)
    /// Playback pauses at the end of the current item.
    case atEndOfItem
    /// Playback pauses at the end of the current chapter. In an item without chapters, playback pauses at the end of the item.
    case atEndOfChapter
    /// Playback pauses after the given number of items has been played to the end; the current item is the first one.
    case afterItems(Int)
}

/// The moment at which playback starts.
public enum StartMoment: Sendable, Hashable {
    /// A time of the server's monotonic clock, in seconds.
    case hostTime(Double)
    /// A date, in seconds since 1970-01-01 00:00 UTC. Playback starts at this date even if the machine's clock is set or the machine is suspended in
    /// the meantime.
    case date(Double)

    /// The maximum time from a command to the start that it requests, in seconds.
    public static let longestWait = 366.0 * 86_400
    /// The maximum delay of a start, in seconds. If a start's moment has passed by at most `tolerance` seconds, playback starts immediately; if more
    /// time has passed, the command is refused.
    public static let tolerance = 1.0
}

/// An order of the entries of the queue.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// The order in which clients show the entries.
    case display
    /// The order in which the entries are played. It differs from the display order only if the queue is shuffled.
    case playback
}

/// A position in the queue at which entries are inserted, or to which entries are moved.
public enum QueuePlace: Sendable, Hashable {
    case end
    /// After the current entry, in the display order and in the playback order. If no entry is current, before all entries.
    case next
    /// Before the entry with this id.
    case before(String)
    /// After the entry with this id.
    case after(String)
    /// The index that the first of the inserted or moved entries has afterwards. An index beyond the end means the end.
    case index(Int)

    /// The id of the entry to which the position is relative; nil if the position names no entry.
    public var anchor: String? {
        switch self {
        case .before(let id), .after(let id): id
        case .end, .next, .index: nil
        }
    }
}

/// The entry of a new queue at which playback starts.
public struct QueueStart: Sendable, Hashable {
    /// The index of the entry in the new queue.
    public var index: Int
    /// The position at which playback of the entry starts this first time, in seconds of media time; nil means the entry's own start position.
    public var time: Double?
    public init(index: Int, time: Double? = nil) { self.index = index; self.time = time }
}
