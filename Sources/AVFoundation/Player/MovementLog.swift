/// Writes the periods of playback to the access log of the current item.
@MainActor final class MovementLog {
    /// The item and the rate that were written to the access log last; nil if no period has begun.
    private var logged: (item: AVPlayerItem, rate: Double)?
    private let environment: PlaybackEnvironment

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Updates the access log after a possible change of the rate at which media time advances.
    ///
    /// - Parameters:
    ///   - item: The current item.
    ///   - rate: The rate at which the media time of the item advances.
    ///   - isPaused: Whether the requested rate is 0.
    func update(_ item: AVPlayerItem?, rate: Double, isPaused: Bool) {
        if let former = logged?.item, former !== item {
            former.logPeriodEnded(environment)
            logged = nil
        }
        guard let item else { return }
        if logged?.rate ?? 0 != rate {
            item.logMovement(rate, environment)
            logged = (item, rate)
        }
        if isPaused { item.logPeriodEnded(environment) }
    }

    /// Ends the current period of the access log, because the position jumped.
    func positionJumped(in item: AVPlayerItem) {
        item.logPeriodEnded(environment)
        logged = nil
    }
}
