public import Observation

extension AVPlayer: Observable {
    /// Whether Swift's Observation tracks players, items and their objects; off by default, and enabled only before the first player (R-OBS-01).
    /// `onChange` is called before a property changes, on the main actor, once per registration (R-OBS-02).
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
