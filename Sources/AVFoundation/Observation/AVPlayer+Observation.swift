public import Observation

extension AVPlayer: Observable {
    /// Whether Swift's Observation (`withObservationTracking`, `@Observable` views) tracks players, items and the objects that belong to them. The
    /// value is false by default, and can be set only before the first player is made (R-OBS-01).
    ///
    /// `onChange` of `withObservationTracking` is called before the property changes, on the main actor, once per registration (R-OBS-02).
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
