import PlaybackEngine

/// The items of a player that the engine knows: the current item, and the items that follow the current item without a gap.
@MainActor final class PlayerLineup {
    private(set) var current: AVPlayerItem?
    /// The pause of the current item, if it is a live stream.
    let livePause = LivePause()
    /// The error of the current item, until all frames of the item that were rendered before the error have been heard; nil if there is no such
    /// error.
    private(set) var pendingFailure: PlaybackError?
    /// The upcoming items that were sent to the engine last.
    private(set) var followers: [ItemID] = []

    func setCurrent(_ item: AVPlayerItem?) { current = item }

    /// Records an error of the current item, until the frames that were rendered before the error have been heard.
    func postpone(_ failure: PlaybackError) { pendingFailure = failure }

    /// Discards the error of the current item, because the engine reads the item again, or because another item is current.
    func discardFailure() { pendingFailure = nil }

    /// Returns and removes the postponed error of the current item; nil if no error is postponed.
    func takeFailure() -> PlaybackError? {
        defer { pendingFailure = nil }
        return pendingFailure
    }

    func setFollowers(_ items: [ItemID]) { followers = items }
}
