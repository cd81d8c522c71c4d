/// Requests that wait until an item is loaded, has failed or was removed.
@MainActor final class LoadWaiters {
    /// The progress of the loading of an item.
    enum Progress {
        case pending
        /// The loading of the item has ended: the item is loaded, has failed, or is no longer current. The associated value describes the item; nil
        /// if the item was removed from the playlist.
        case ended(PlayerState.Item?)
    }

    private var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    private var nextNumber = 0

    /// Waits until the loading of an item has ended, and returns the item.
    ///
    /// - Parameter item: The function that returns the present description of the item. If the caller's task is cancelled, `wait` returns the present
    ///   description.
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

    /// Resumes the requests whose items have been loaded, have failed or were removed. The request that has waited longest is resumed first.
    func answer(_ progress: (String) -> Progress) {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], case .ended(let item) = progress(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item)
        }
    }
}
