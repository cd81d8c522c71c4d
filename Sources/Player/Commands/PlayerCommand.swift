public import AVFoundation
public import PlaybackEngine

/// A command of a remote, decoded from an HTTP request or a WebSocket message; `PlaylistPlayer.perform` performs it.
public enum PlayerCommand: Sendable, Hashable {
    /// Plays at `rate`, or at `defaultRate` if nil; after the end of the last entry, plays that entry again. The volume rises from 0 during `fade`
    /// seconds. With `at`, the first frame is heard at this moment, and the player stays paused until then.
    case play(rate: Double?, fade: Double = 0, at: StartMoment? = nil)
    case pause
    /// Lowers the volume to 0, then pauses and restores the volume.
    case fadeToPause(seconds: Double)
    /// Changes the volume, limited to 0…1, during `fade` seconds.
    case changeVolume(by: Double, fade: Double = 0)
    case toggle
    case seek(SeekCommand)
    /// Repeats this part of the current item, in seconds of media time.
    case setLoop(start: Double, end: Double)
    /// Removes the loop. Playback continues from the present position without a jump.
    case clearLoop
    /// Replaces the playlist with one entry; `startTime`, in seconds of media time, applies only to the first playback of the entry. If `play` is
    /// nil, the requested rate stays.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// Replaces the entries. Entries that are given again, by their id or location, are kept. If `play` is nil, the requested rate stays.
    ///
    /// With a `start`, the first entry without a known failure from `start.index` on becomes current; if there is none, the entry at the index.
    /// `start.time` applies only to the entry at the index. Without a start, a kept current entry that has not failed plays on without an
    /// interruption; otherwise the first entry without a known failure becomes current, or, if the queue is shuffled, a random one.
    case setQueue([EntrySpec], start: QueueStart? = nil, play: Bool?)
    /// Inserts entries. If `play` is true, the first inserted entry without a known failure becomes current and plays.
    case insert([EntrySpec], at: QueuePlace, play: Bool)
    case removeEntry(String)
    /// Removes all of these entries, or none if the playlist does not have one of them.
    case removeEntries([String])
    /// Removes the entries after the current one in the playback order.
    case removeUpcoming
    /// Moves an entry to an index of the resulting playlist; an index beyond the end means the end.
    case moveEntry(String, to: Int)
    /// Moves entries, in the given order, to a position in `order`. None is moved if the playlist does not have one of them.
    case moveEntries([String], to: QueuePlace, order: QueueOrder)
    /// Reverts the last edit, or repeats the edit that was reverted last.
    case undo, redo
    /// Plays an entry from its own start position, or the remembered position of its medium, or the start.
    case playEntry(String)
    /// Makes another entry current, and keeps the requested rate.
    case next, previous
    case clear
    case update(PlayerUpdate)
    case setSleepTimer(SleepTimerSetting)
    /// Sets the sample rate of a device; nil means all devices without their own choice.
    case setOutputRate(OutputRate, device: String?)
}

/// The result of a command.
public enum PlayerReply: Sendable, Hashable {
    /// The command was performed; `RemotePlayer.state` shows the effect.
    case done
    /// `time` is the position afterwards, `requested` the requested one, in seconds of media time. `finished` is false if it was not reached, for
    /// example because of a newer seek.
    case seek(finished: Bool, time: Double, requested: Double)
    /// The command has set the item that is `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// The ids of the requested entries, in their order; kept entries keep their ids.
    case entries(ids: [String])
    /// An edit was reverted or repeated.
    case edit(QueueEdit)
}

/// New values of properties; nil changes nothing. The remote control has already refused values out of range.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    /// The duration of the change of the volume, in seconds; nil for immediately.
    public var volumeFade: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// The seed of the shuffle: the same entries and seed give the same order. With a seed, a shuffled playlist is shuffled again.
    public var shuffleSeed: UInt64?
    /// Whether an entry that was current is removed after another one has become current, except by the command `previous`.
    public var isConsuming: Bool?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public init() {}
}

/// The event at which the sleep timer pauses playback.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    case after(seconds: Double)
    case atEndOfItem
    /// The end of the chapter; of the item, if it has no chapters.
    case atEndOfChapter
    /// The end of this number of items, of which the current one is the first.
    case afterItems(Int)
}

/// The moment at which playback starts.
public enum StartMoment: Sendable, Hashable {
    /// A time on the server's monotonic clock, in seconds.
    case hostTime(Double)
    /// A date in seconds since 1970-01-01 00:00 UTC, also if the machine's clock is set or the machine is suspended meanwhile.
    case date(Double)

    /// The longest time from a command to the start that it requests, in seconds.
    public static let longestWait = 366.0 * 86_400
    /// The largest delay, in seconds, with which playback still starts, immediately; a later command is refused.
    public static let tolerance = 1.0
}

/// An order of the entries of the queue.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// The order in which clients show the entries.
    case display
    /// The order of playback, which differs from the display order only if the queue is shuffled.
    case playback
}

/// The place where entries are inserted, or to which they are moved.
public enum QueuePlace: Sendable, Hashable {
    case end
    /// The place after the current entry in both orders; before all entries if none is current.
    case next
    case before(String)
    case after(String)
    /// The index that the first of the entries gets; an index beyond the end means the end.
    case index(Int)

    /// The id of the entry that the place is before or after; nil if no entry determines the place.
    public var anchor: String? {
        switch self {
        case .before(let id), .after(let id): id
        case .end, .next, .index: nil
        }
    }
}

/// The entry and the position at which playback of a new queue starts.
public struct QueueStart: Sendable, Hashable {
    public var index: Int
    /// The start position in seconds of media time; nil for the entry's own.
    public var time: Double?
    public init(index: Int, time: Double? = nil) { self.index = index; self.time = time }
}

/// A seek; all numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// A media time, in seconds.
        case time(Double)
        /// A distance from the current position, in seconds of media time.
        case offset(Double)
        /// A part of the item's duration, 0…1.
        case fraction(Double)
        /// A distance from the current position or the target of a pending seek, so that quick skips add up, in seconds of media time;
        /// limited to the item.
        case skip(Double)
        /// A media time of `value / timescale` seconds.
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        /// An exact seek; in a remote medium without an index the position may be estimated instead, to avoid the transfer of many bytes (R-SEEK-21).
        case automatic
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .automatic) { self.target = target; self.tolerance = tolerance }
}

/// The reason why a command was refused; a refused command changes nothing.
public enum PlayerRefusal: Error, Sendable, Hashable {
    /// The player was shut down, and the change would not be kept.
    case shutDown
    case noItem
    /// The command needs the duration or the seekable range of an item that is not ready.
    case notReady
    case notSeekable
    /// A target, or an end of a loop, is outside 0…`end`, in seconds of media time.
    case outOfRange(end: Double)
    /// The loop is shorter than `minimum` seconds.
    case loopTooShort(minimum: Double)
    /// The scheduled start has passed, is more than `maximum` seconds ahead, or is requested during playback.
    case startInPast, startTooLate(maximum: Double), alreadyPlaying
    case itemFailed(PlayerState.Failure)
    case rateNotPlayable
    case noEntry
    case noNextEntry, noPreviousEntry
    /// The playlist has no entry with the id at this index of the command.
    case noEntryAt(index: Int)
    case nothingToUndo, nothingToRedo
    /// A start position is after the known `end` of the medium, in seconds: that of the new entry at `index`, or, if nil, `QueueStart.time`.
    case startOutside(index: Int?, end: Double)
    /// The playlist would have more than `maximum` entries after the command.
    case tooManyEntries(maximum: Int)
    /// The text of all entries would have more than `maximum` bytes.
    case queueTooLarge(maximum: Int)
}
