/// The reason why a command was refused. A refused command changes nothing.
public enum PlayerRefusal: Error, Sendable, Hashable {
    /// There is no current item.
    case noItem
    /// The item is not ready, but the command needs its duration.
    case notReady
    /// The item does not support seeking, or has no dates.
    case notSeekable
    /// The target is outside the seekable range, 0…`end` seconds.
    case outOfRange(end: Double)
    /// The item has failed.
    case itemFailed(PlayerState.Failure)
    /// The item cannot be played backwards.
    case rateNotPlayable
    /// The playlist has no such entry.
    case noEntry
    /// No entry follows the current one, or precedes it.
    case noNextEntry, noPreviousEntry
    /// The playlist would have more than `maximum` entries.
    case tooManyEntries(maximum: Int)
    /// The text of the playlist's entries would have more than `maximum` bytes.
    case queueTooLarge(maximum: Int)
    /// The category, mode and options of the audio session cannot be combined, or it cannot be active. The text is a sentence with the reason.
    case sessionRefused(String)
}
