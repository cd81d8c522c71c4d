/// Requests that wait until an item is loaded, has failed or is gone.
@MainActor final class LoadWaiters {
    /// How far the loading of an item is.
    enum Progress {
        case pending
        /// It is loaded or has failed, or is not current any more; nil if it is gone.
        case ended(PlayerState.Item?)
    }

    private var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    private var nextNumber = 0

    /// Returns the item when the loading has ended.
    ///
    /// - Parameter item: What is known of the item; a task that is cancelled gets it.
    func wait(for itemID: String, item: @escaping @MainActor () -> PlayerState.Item?) async -> PlayerState.Item? {
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

    /// Answers the requests whose items are not pending any more, the oldest first.
    func answer(_ progress: (String) -> Progress) {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], case .ended(let item) = progress(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item)
        }
    }
}
