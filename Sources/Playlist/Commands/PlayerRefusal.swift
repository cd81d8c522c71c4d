/// Why a command was refused. Nothing has changed then.
public enum PlayerRefusal: Error, Sendable, Hashable {
    /// There is no current item.
    case noItem
    /// The item is not ready, and what was asked needs its duration.
    case notReady
    /// The item cannot be sought, or has no dates.
    case notSeekable
    /// The target lies outside what can be sought: 0…`end` seconds.
    case outOfRange(end: Double)
    /// The item failed and cannot do this any more.
    case itemFailed(PlayerState.Failure)
    /// The item cannot be played backwards.
    case rateNotPlayable
    /// The playlist has no such entry.
    case noEntry
    /// Nothing follows the current entry, or nothing is before it.
    case noNextEntry, noPreviousEntry
    /// The playlist would have more than `maximum` entries.
    case tooManyEntries(maximum: Int)
    /// The text of the playlist's entries would have more than `maximum` bytes.
    case queueTooLarge(maximum: Int)
    /// The category, the mode and the options of the audio session do not go together, or it may not be active; a sentence says which.
    case sessionRefused(String)
}
