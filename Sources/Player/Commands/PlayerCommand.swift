public import AVFoundation
public import PlaybackEngine

/// A command of a remote, decoded from an HTTP request or a WebSocket message; `PlaylistPlayer.perform` performs it.
public enum PlayerCommand: Sendable, Hashable {
    /// At `rate`, or at `defaultRate`; after the end of the last entry, that entry again. The volume rises from 0 during `fade` seconds. With `at`,
    /// the first frame is heard at this moment, and the player stays paused until then.
    case play(rate: Double?, fade: Double = 0, at: StartMoment? = nil)
    case pause
    /// Lowers the volume to 0, then pauses and restores it.
    case fadeToPause(seconds: Double)
    /// Limits the result to 0…1. Takes `fade` seconds.
    case changeVolume(by: Double, fade: Double = 0)
    case toggle
    case seek(SeekCommand)
    /// Repeats this part of the current item, in seconds of media time.
    case setLoop(start: Double, end: Double)
    /// Playback continues from the present position without a jump.
    case clearLoop
    /// Replaces the playlist with one entry; `startTime`, in seconds of media time, counts only this first time. `play`: nil keeps the requested
    /// rate.
    case setItem(EntrySpec, play: Bool?, startTime: Double?)
    /// Replaces the entries. Those that are given again, by their id or location, are kept. `play`: nil keeps the requested rate.
    ///
    /// With a start, the first entry without a known failure from its index on becomes current (or that at the index); `start.time` is only for the
    /// entry at the index. Without, a kept current entry that has not failed plays on without an interruption; otherwise it is the first without a
    /// known failure.
    case setQueue([EntrySpec], start: QueueStart? = nil, play: Bool?)
    /// If `play`, the first inserted entry without a known failure becomes current and plays.
    case insert([EntrySpec], at: QueuePlace, play: Bool)
    case removeEntry(String)
    /// None, if the playlist does not have one of them.
    case removeEntries([String])
    /// In the playback order.
    case removeUpcoming
    /// An index of the resulting playlist; beyond the end means the end.
    case moveEntry(String, to: Int)
    /// In the given order, to a position in `order`. None, if the playlist does not have one of them.
    case moveEntries([String], to: QueuePlace, order: QueueOrder)
    /// The last edit is reverted, or the one reverted last repeated.
    case undo, redo
    /// From its own start position, or the remembered position of its medium, or the start.
    case playEntry(String)
    /// Keeps the requested rate.
    case next, previous
    case clear
    case update(PlayerUpdate)
    case setSleepTimer(SleepTimerSetting)
    /// Nil for all devices without their own choice.
    case setOutputRate(OutputRate, device: String?)
}

/// The result of a command.
public enum PlayerReply: Sendable, Hashable {
    /// `RemotePlayer.state` shows the effect.
    case done
    /// `time` is the position afterwards, `requested` the wanted one, in seconds of media time. `finished` is false if it was not reached, for
    /// example because of a newer seek.
    case seek(finished: Bool, time: Double, requested: Double)
    /// The item is `RemotePlayer.state.currentItem`.
    case item(id: String)
    /// Of the requested entries, in their order; kept entries keep their ids.
    case entries(ids: [String])
    /// An edit was reverted or repeated.
    case edit(QueueEdit)
}

/// Nil changes nothing. The remote control refuses values out of range before.
public struct PlayerUpdate: Sendable, Hashable {
    public var rate: Double?
    public var defaultRate: Double?
    public var volume: Double?
    /// In seconds; nil for immediately.
    public var volumeFade: Double?
    public var isMuted: Bool?
    public var automaticallyWaitsToMinimizeStalling: Bool?
    public var audioTimePitchAlgorithm: PitchAlgorithm?
    public var repeatMode: PlaylistMachine.RepeatMode?
    public var isShuffled: Bool?
    /// The same entries and seed give the same order. With a seed, a shuffled playlist is shuffled again.
    public var shuffleSeed: UInt64?
    /// Entries that were current are removed, except by `previous`.
    public var isConsuming: Bool?
    public var crossfadeDuration: Double?
    public var loudnessNormalization: LoudnessMode?
    public var actionAtItemEnd: AVPlayer.ActionAtItemEnd?
    public init() {}
}

/// Pauses playback.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    case after(seconds: Double)
    case atEndOfItem
    /// Of the item, if it has no chapters.
    case atEndOfChapter
    /// Played to the end; the current one is the first.
    case afterItems(Int)
}

/// When playback starts.
public enum StartMoment: Sendable, Hashable {
    /// On the server's monotonic clock.
    case hostTime(Double)
    /// In seconds since 1970-01-01 00:00 UTC, also if the machine's clock is set or the machine is suspended meanwhile.
    case date(Double)

    /// From a command to the start that it requests, in seconds.
    public static let longestWait = 366.0 * 86_400
    /// In seconds: up to so late, playback starts immediately, and later the command is refused.
    public static let tolerance = 1.0
}

/// An order of the entries of the queue.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// As clients show it.
    case display
    /// Differs from the display order only if the queue is shuffled.
    case playback
}

/// Where entries are inserted, or moved to.
public enum QueuePlace: Sendable, Hashable {
    case end
    /// After the current entry in both orders; before all if there is none.
    case next
    case before(String)
    case after(String)
    /// Of the first of the entries afterwards; beyond the end means the end.
    case index(Int)

    /// The entry to which the position is relative.
    public var anchor: String? {
        switch self {
        case .before(let id), .after(let id): id
        case .end, .next, .index: nil
        }
    }
}

/// Where playback of a new queue starts.
public struct QueueStart: Sendable, Hashable {
    public var index: Int
    /// In seconds of media time; nil for the entry's own.
    public var time: Double?
    public init(index: Int, time: Double? = nil) { self.index = index; self.time = time }
}

/// All numbers are finite.
public struct SeekCommand: Sendable, Hashable {
    public enum Target: Sendable, Hashable {
        /// A media time, in seconds.
        case time(Double)
        /// From the current position, in seconds of media time.
        case offset(Double)
        /// Of the item's duration, 0…1.
        case fraction(Double)
        /// From the current position, in seconds of media time, or from the target of a pending seek, so that quick skips add up; limited to the
        /// item.
        case skip(Double)
        /// `value / timescale` seconds.
        case exactTime(value: Int64, timescale: Int32)
    }
    public enum Tolerance: Sendable, Hashable {
        /// Exact, but in a remote medium without an index perhaps estimated, instead of transferring many bytes (R-SEEK-21).
        case automatic
        case exact
        case any
        case range(before: Double, after: Double)
    }
    public var target: Target
    public var tolerance: Tolerance
    public init(target: Target, tolerance: Tolerance = .automatic) { self.target = target; self.tolerance = tolerance }
}

/// Why a command was refused; it changes nothing then.
public enum PlayerRefusal: Error, Sendable, Hashable {
    case noItem
    /// The command needs the duration or the seekable range of an item that is not ready.
    case notReady
    case notSeekable
    /// Outside 0…`end`, in seconds of media time: a target, or an end of a loop.
    case outOfRange(end: Double)
    /// In seconds.
    case loopTooShort(minimum: Double)
    /// Passed, or more than `maximum` seconds ahead, or during playback.
    case startInPast, startTooLate(maximum: Double), alreadyPlaying
    case itemFailed(PlayerState.Failure)
    case rateNotPlayable
    case noEntry
    case noNextEntry, noPreviousEntry
    /// Of the id in the command.
    case noEntryAt(index: Int)
    case nothingToUndo, nothingToRedo
    /// After the known end of the medium, in seconds: of the new entry at `index`, or, if nil, of `QueueStart.time`.
    case startOutside(index: Int?, end: Double)
    /// After the command.
    case tooManyEntries(maximum: Int)
    /// The text of the entries, in bytes.
    case queueTooLarge(maximum: Int)
}
