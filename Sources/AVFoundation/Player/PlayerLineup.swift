import PlaybackEngine

/// The current item, and those that follow it without a gap.
@MainActor final class PlayerLineup {
    private(set) var current: AVPlayerItem?
    let livePause = LivePause()
    /// Of the current item, until the frames rendered before it have been heard.
    private(set) var pendingFailure: PlaybackError?
    /// As sent to the engine last.
    private(set) var followers: [ItemID] = []

    func setCurrent(_ item: AVPlayerItem?) { current = item }

    /// Until the frames rendered before it have been heard.
    func postpone(_ failure: PlaybackError) { pendingFailure = failure }

    /// The item is read again, or another is current.
    func discardFailure() { pendingFailure = nil }

    func takeFailure() -> PlaybackError? {
        defer { pendingFailure = nil }
        return pendingFailure
    }

    func setFollowers(_ items: [ItemID]) { followers = items }
}
