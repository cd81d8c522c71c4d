public import Observation

extension AVPlayer: Observable {
    /// Whether Swift's Observation (`withObservationTracking`, `@Observable` views) tracks players, items and what belongs to them; false at first.
    /// To be set before the first player is made (R-OBS-01).
    ///
    /// `onChange` is called before the property changes, on the main actor, once for each registration (R-OBS-02).
    public static var isObservationEnabled: Bool {
        get { StateHub.isObservationEnabled }
        set {
            AVFoundation.demandMainQueue(AVPlayer.self)
            demand(
                newValue == StateHub.isObservationEnabled || !StateHub.hadPlayers,
                "R-OBS-01: isObservationEnabled must be set before the first player is made")
            StateHub.isObservationEnabled = newValue
        }
    }
}

extension AVPlayerItem: Observable {}
extension AVPlayerItemTrack: Observable {}
