extension AVPlayer {
    /// Prepares everything for playing at `rate`, so that setting that rate is heard at once (R-PREROLL-01). Only while the rate is 0 and the player's
    /// status is `readyToPlay`.
    ///
    /// `completionHandler` is called once, on the main actor: true when it is ready; false when the time changed meanwhile, another rate was set, the
    /// preparation was cancelled, superseded by another one or is not possible.
    public func preroll(atRate rate: Float, completionHandler: (@MainActor (Bool) -> Void)? = nil) {
        demandMainQueue()
        demand(machine.rate == 0, "R-PREROLL-01: a preroll needs the rate 0")
        demand(playerStatus == .readyToPlay, "R-PREROLL-01: a preroll needs a player that is ready to play")
        let wanted = rate.isFinite && rate != 0 ? Double(rate) : Double.greatestFiniteMagnitude
        MainTurn.perform {
            catchUp()
            apply(.prerollCancelled)
            prerollCompletion = completionHandler
            apply(.prerollRequested(wanted))
        }
    }

    /// Prepares everything for playing at `rate` and returns when that is so, or is given up: whether it is so.
    @discardableResult public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    /// Gives up a preroll, whose completion is called with false (R-PREROLL-01).
    public func cancelPendingPrerolls() {
        demandMainQueue()
        apply(.prerollCancelled)
    }

    func completePreroll(_ isPrimed: Bool) {
        let completion = prerollCompletion
        prerollCompletion = nil
        if let completion { MainTurn.tell { completion(isPrimed) } }
    }
}
