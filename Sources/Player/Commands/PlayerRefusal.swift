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
    /// They cannot be combined, or the session cannot become active; a sentence with the reason.
    case sessionRefused(String)
}
