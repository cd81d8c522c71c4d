/// The reason why a command was refused. A refused command changes nothing.
public enum PlayerRefusal: Error, Sendable, Hashable {
    /// The player has no current item.
    case noItem
    /// The current item is not ready to play, but the command needs its duration or its seekable range.
    case notReady
    /// The current item does not support seeking.
    case notSeekable
    /// The target of a seek, or an end of a loop, is outside the seekable range, 0…`end`, in seconds of media time.
    case outOfRange(end: Double)
    /// The range of a loop is shorter than `minimum` seconds.
    case loopTooShort(minimum: Double)
    /// A scheduled start is refused: its moment has passed, or is more than `maximum` seconds ahead, or the player already plays.
    case startInPast, startTooLate(maximum: Double), alreadyPlaying
    /// The current item has failed.
    case itemFailed(PlayerState.Failure)
    /// The current item cannot be played backwards.
    case rateNotPlayable
    /// The playlist has no entry with the id of the command.
    case noEntry
    /// No entry follows the current entry (`noNextEntry`), or no entry precedes the current entry (`noPreviousEntry`).
    case noNextEntry, noPreviousEntry
    /// The playlist has no entry with one of the ids in a command. `index` is the index of this id in the command.
    case noEntryAt(index: Int)
    /// There is no edit to undo, or none to repeat.
    case nothingToUndo, nothingToRedo
    /// A start position is after `end`, the known end of the medium, in seconds. If `index` has a value, it is the start position of the new entry at
    /// this index. If `index` is nil, it is the start position of the new queue (`QueueStart.time`).
    case startOutside(index: Int?, end: Double)
    /// After the command, the playlist would have more than `maximum` entries.
    case tooManyEntries(maximum: Int)
    /// After the command, the text of the playlist's entries would have more than `maximum` bytes.
    case queueTooLarge(maximum: Int)
    /// The category, mode and options of the audio session cannot be combined, or the session cannot become active. The associated text is a sentence
    /// with the reason of the refusal.
    case sessionRefused(String)
}
