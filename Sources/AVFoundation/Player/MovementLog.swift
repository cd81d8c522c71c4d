/// Writes the periods of playback to the access log of the current item.
@MainActor final class MovementLog {
    /// The item and the rate that were logged last.
    private var logged: (item: AVPlayerItem, rate: Double)?
    private let environment: PlaybackEnvironment

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// Updates the log after a possible change of the media time's rate.
    ///
    /// - Parameters:
    ///   - item: the current item.
    ///   - rate: the rate at which its time advances.
    ///   - isPaused: whether no rate is requested.
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

    /// Ends the log's period, because the position jumped.
    func positionJumped(in item: AVPlayerItem) {
        item.logPeriodEnded(environment)
        logged = nil
    }
}
