/// What the access log of the current item is told.
extension AVPlayer {
    /// How its media time moves may have changed.
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

    /// It is elsewhere now: what follows is another period.
    func logJump() {
        playingItem?.logPeriodEnded(environment)
        logged = nil
    }
}
