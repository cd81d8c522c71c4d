extension AVPlayer {
    /// Prepares playback at `rate`, so that audio is heard immediately after this rate is set (R-PREROLL-01). Allowed only while the rate is 0 and
    /// the player's status is `readyToPlay`.
    ///
    /// `completionHandler` is called once, on the main actor: with true when playback is prepared; with false if the position changed, another rate
    /// was set, or the preroll was cancelled, replaced by another one or is impossible.
    public func preroll(atRate rate: Float, completionHandler: (@MainActor (Bool) -> Void)? = nil) {
        demandMainQueue()
        demand(machine.rate == 0, "R-PREROLL-01: a preroll needs the rate 0")
        demand(playerStatus == .readyToPlay, "R-PREROLL-01: a preroll needs a player that is ready to play")
        let wanted = rate.isFinite && rate != 0 ? Double(rate) : Double.greatestFiniteMagnitude
        MainTurn.perform {
            catchUp()
            apply(.prerollCancelled)
            pendingPreroll.begin(completionHandler)
            apply(.prerollRequested(wanted))
        }
    }

    /// Prepares playback at `rate`. Returns after the preparation was finished or cancelled; true if playback is prepared.
    @discardableResult public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    /// Cancels a preroll. Its completion is called with false (R-PREROLL-01).
    public func cancelPendingPrerolls() {
        demandMainQueue()
        apply(.prerollCancelled)
    }

    func completePreroll(_ isPrimed: Bool) {
        if let completion = pendingPreroll.finish() { MainTurn.tell { completion(isPrimed) } }
    }
}
