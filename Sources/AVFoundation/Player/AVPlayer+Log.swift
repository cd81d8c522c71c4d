/// Updates of the current item's access log.
extension AVPlayer {
    /// Updates the log after a possible change of the media time's rate.
    func logMovement() {
        if let former = logged?.item, former !== playingItem {
            former.logPeriodEnded(environment)
            logged = nil
        }
        guard let item = playingItem else { return }
        let rate = machine.effectiveRate
        if logged?.rate ?? 0 != rate {
            item.logMovement(rate, environment)
            logged = (item, rate)
        }
        if machine.rate == 0 { item.logPeriodEnded(environment) }
    }

    /// Ends the log's period, because the position jumped.
    func logJump() {
        playingItem?.logPeriodEnded(environment)
        logged = nil
    }
}
