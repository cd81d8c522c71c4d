import PlaybackEngine

/// The items of a player as the engine knows them: the current one, and those that follow it without a gap.
@MainActor final class PlayerLineup {
    private(set) var current: AVPlayerItem?
    /// The error of the current item, while frames of it are still to be heard.
    private(set) var pendingFailure: PlaybackError?
    /// The upcoming items that were sent to the engine last.
    private(set) var followers: [ItemID] = []

    func setCurrent(_ item: AVPlayerItem?) { current = item }

    /// Records an error of the current item, until the frames before it have been heard.
    func postpone(_ failure: PlaybackError) { pendingFailure = failure }

    /// Discards the error of the current item, because the item is read again or is another one.
    func discardFailure() { pendingFailure = nil }

    /// Returns the postponed error of the current item, once.
    func takeFailure() -> PlaybackError? {
        defer { pendingFailure = nil }
        return pendingFailure
    }

    func setFollowers(_ items: [ItemID]) { followers = items }
}
