extension AVPlayer {
    /// Prepares playback, so that audio is heard immediately after `rate` is set; only at rate 0 and status `readyToPlay` (R-PREROLL-01). The
    /// completion is called once, on the main queue: with true when playback is prepared; with false if the position or the rate changed, or the
    /// preroll was cancelled, replaced or impossible.
    @preconcurrency public nonisolated func preroll(atRate rate: Float, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        let wanted = rate.isFinite && rate != 0 ? Double(rate) : Double.greatestFiniteMagnitude
        turn {
            demand(machine.rate == 0, "R-PREROLL-01: a preroll needs the rate 0")
            demand(playerStatus == .readyToPlay, "R-PREROLL-01: a preroll needs a player that is ready to play")
            catchUp()
            apply(.prerollCancelled)
            pendingPreroll = completionHandler
            if isShutDown { return completePreroll(false) }
            apply(.prerollRequested(wanted))
        }
    }

    /// Prepares playback, and returns false if that failed or was cancelled.
    @discardableResult public nonisolated(nonsending) func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    /// Cancels the preroll in progress, whose completion gets false (R-PREROLL-01).
    public nonisolated func cancelPendingPrerolls() { turn { apply(.prerollCancelled) } }

    @Turn func completePreroll(_ isPrimed: Bool) {
        if let completion = pendingPreroll.take() { Turn.enqueueOnMain { completion(isPrimed) } }
    }
}
