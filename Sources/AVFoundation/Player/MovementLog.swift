/// Writes periods of playback to the current item's access log.
@MainActor final class MovementLog {
    private var logged: (item: AVPlayerItem, rate: Double)?
    private let environment: PlaybackEnvironment

    init(_ environment: PlaybackEnvironment) { self.environment = environment }

    /// After a possible change of the rate at which media time advances. `isPaused`: the requested rate is 0.
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

    func positionJumped(in item: AVPlayerItem) {
        item.logPeriodEnded(environment)
        logged = nil
    }
}
