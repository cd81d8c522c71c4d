/// Requests that wait until an item is loaded, has failed or was removed.
@MainActor final class LoadWaiters {
    enum Progress {
        case pending
        /// Loaded, failed, or no longer current; nil if it was removed from the playlist.
        case ended(PlayerState.Item?)
    }

    private var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    private var nextNumber = 0
    private var isClosed = false

    /// `item` returns the present description, which a cancelled task gets.
    func wait(for itemID: String, item: @escaping @MainActor () -> PlayerState.Item?) async -> PlayerState.Item? {
        if isClosed { return nil }
        let number = nextNumber
        nextNumber += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: item()) }
                waiters[number] = (itemID, { continuation.resume(returning: $0) })
            }
        } onCancel: {
            Task { @MainActor in self.waiters.removeValue(forKey: number)?.resume(item()) }
        }
    }

    /// Answers all, and those that still come: the player has shut down, so that nothing is loaded any more.
    func close() {
        isClosed = true
        answer { _ in .ended(nil) }
    }

    /// The one that has waited longest first.
    func answer(_ progress: (String) -> Progress) {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], case .ended(let item) = progress(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item)
        }
    }
}
