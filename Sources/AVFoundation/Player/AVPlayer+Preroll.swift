extension AVPlayer {
    /// Prepares playback at `rate`, so that audio is heard immediately after `rate` is set (R-PREROLL-01). A preroll is allowed only while the
    /// player's rate is 0 and its status is `readyToPlay`.
    ///
    /// The completion of a preroll is called once, on the main actor. The argument of the completion is true when playback is prepared. The argument
    /// is false if the position changed, if another rate was set, or if the preroll was cancelled, was replaced by another preroll, or is impossible.
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

    /// Prepares playback at `rate`. Returns true after playback was prepared, or false if the preroll failed or was cancelled.
    @discardableResult public func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    /// Cancels the preroll in progress, and calls its completion with false (R-PREROLL-01).
    public func cancelPendingPrerolls() {
        demandMainQueue()
        apply(.prerollCancelled)
    }

    func completePreroll(_ isPrimed: Bool) {
        if let completion = pendingPreroll.finish() { MainTurn.enqueue { completion(isPrimed) } }
    }
}

/// The completion of the preroll in progress. The completion of a preroll is called once.
@MainActor final class PendingPreroll {
    private var completion: (@MainActor (Bool) -> Void)?

    /// Records the completion of a preroll that begins. The completion of the former preroll must already have been called.
    func begin(_ completion: (@MainActor (Bool) -> Void)?) { self.completion = completion }

    /// Ends the preroll in progress. Returns the completion of the preroll; nil if no preroll is in progress.
    func finish() -> (@MainActor (Bool) -> Void)? {
        defer { completion = nil }
        return completion
    }
}
