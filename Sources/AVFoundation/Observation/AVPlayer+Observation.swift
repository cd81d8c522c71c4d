public import Observation

extension AVPlayer: Observable {
    /// Whether Swift's Observation (`withObservationTracking`, `@Observable` views) tracks players, items and the objects that belong to them.
    /// Tracking is off by default, and can be enabled only before the first player is made (R-OBS-01).
    ///
    /// The closure `onChange` of `withObservationTracking` is called before a property changes, on the main actor, once per registration (R-OBS-02).
    public static var isObservationEnabled: Bool {
        get { StateHub.isObservationEnabled }
        set {
            AVFoundation.demandMainQueue(AVPlayer.self)
            demand(
                newValue == StateHub.isObservationEnabled || !StateHub.hadPlayers,
                "R-OBS-01: isObservationEnabled must be set before the first player is created")
            StateHub.isObservationEnabled = newValue
        }
    }
}

extension AVPlayerItem: Observable {}
extension AVPlayerItemTrack: Observable {}
