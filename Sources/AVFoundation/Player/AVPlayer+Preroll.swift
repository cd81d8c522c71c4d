extension AVPlayer {
    /// Prepares playback, and returns false if that failed or was cancelled.
    @discardableResult public nonisolated(nonsending) func preroll(atRate rate: Float) async -> Bool {
        await withCheckedContinuation { continuation in
            preroll(atRate: rate) { continuation.resume(returning: $0) }
        }
    }

    @Turn func completePreroll(_ isPrimed: Bool) {
        if let completion = pendingPreroll.take() { Turn.enqueueOnMain { completion(isPrimed) } }
    }
}
