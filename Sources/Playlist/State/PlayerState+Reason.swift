extension PlayerState {
    /// Why the state changed: AVFoundation's reasons, and ours.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        case none
        // Reasons of a change of the requested rate (R-RDC-02).
        case setRateCalled, setRateFailed, audioSessionInterrupted, appBackgrounded
        // Reasons for waiting (R-WAIT-02…04).
        case toMinimizeStalls, evaluatingBufferingRate, noItemToPlay
        /// Sound moves, after waiting.
        case playing
        /// A seek landed.
        case seek
        /// Another item is current because somebody chose it.
        case itemChanged
        /// Another item is current because the one before ended.
        case itemAdvanced
        /// More is known of the current item: its status, duration, tags.
        case itemLoaded
        case itemFailed
        case didPlayToEndTime
        case playbackStalled
        /// A setting: volume, mute, repeat, shuffle, …
        case settingsChanged
        case playlistChanged
        case outputChanged
        case sessionChanged
        /// The sleep timer was set or called off, or has paused.
        case sleepTimer
    }
}
