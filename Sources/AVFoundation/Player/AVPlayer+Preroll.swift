extension AVPlayer {
    /// Prepares playback, so that audio is heard immediately after `rate` is set; only at rate 0 and status `readyToPlay` (R-PREROLL-01). The
    /// completion is called once, on the main actor: with true when playback is prepared; with false if the position or the rate changed, or the
    /// preroll was cancelled, replaced or impossible.
    public func preroll(atRate rate: Float, completionHandler: (@MainActor (Bool) -> Void)? = nil) {
        demandMainQueue()
        demand(machine.rate == 0, "R-PREROLL-01: a preroll needs the rate 0")
        demand(playerStatus == .readyToPlay, "R-PREROLL-01: a preroll needs a player that is ready to play")
        let wanted = rate.isFinite && rate != 0 ? Double(rate) : Double.greatestFiniteMagnitude
        MainTurn.perform {
            catchUp()
            apply(.prerollCancelled)
            pendingPreroll = completionHandler
            if isShutDown { return completePreroll(false) }
            apply(.prerollRequested(wanted))
        }
    }

    /// Prepares playback, and returns false if that failed or was cancelled.
    @discardableResult public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    /// Cancels the preroll in progress, whose completion gets false (R-PREROLL-01).
    public func cancelPendingPrerolls() {
        demandMainQueue()
        apply(.prerollCancelled)
    }

    func completePreroll(_ isPrimed: Bool) {
        if let completion = pendingPreroll.take() { MainTurn.enqueue { completion(isPrimed) } }
    }
}
