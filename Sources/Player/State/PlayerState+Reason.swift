extension PlayerState {
    /// The reason of a change of the player's state: AVFoundation's reasons, and reasons of this program.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case none
        // Reasons of a change of the requested rate (R-RDC-02).
        case setRateCalled, setRateFailed, audioSessionInterrupted, appBackgrounded
        // Reasons for waiting (R-WAIT-02…04).
        case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
        /// Playback has started to run after it had waited.
        case playing
        /// A seek has reached its position.
        case seek
        /// A client made another item current.
        case itemChanged
        /// The current item ended, and the next item became current.
        case itemAdvanced
        /// The status, duration or tags of the current item changed.
        case itemLoaded
        case itemFailed
        case didPlayToEndTime
        case playbackStalled
        /// The connection to the medium's server was lost, another attempt to restore it has failed, or it works again.
        case networkChanged
        /// Several entries in a row have failed, so the queue was stopped.
        case queueFailed
        /// A setting of the player changed: volume, mute, repeat, shuffle, …
        case settingsChanged
        case queueChanged
        case outputChanged
        case audioSessionChanged
        /// The sleep timer was set or cancelled, or has paused playback.
        case sleepTimer
        /// Saving of the player's state has begun to fail, or works again.
        case persistenceChanged
    }
}
