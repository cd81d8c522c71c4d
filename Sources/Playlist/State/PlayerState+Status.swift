extension PlayerState {
    /// Whether a player or an item can play.
    public enum Status: String, Sendable, Hashable, CaseIterable {
        case unknown, readyToPlay, failed
    }

    /// Whether playback is paused, waiting or running.
    public enum TimeControlStatus: String, Sendable, Hashable, CaseIterable {
        case paused, waitingToPlayAtSpecifiedRate, playing
    }

    /// The reason for which playback waits.
    public enum WaitingReason: String, Sendable, Hashable, CaseIterable {
        /// Playback does not wait.
        case none
        case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
    }
}
