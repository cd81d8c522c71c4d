import AVFoundation
import CoreMedia
public import PlaybackEngine

/// Waiting for items, observing the time, reading from other threads.
extension PlaylistPlayer {
    public func waitUntilLoaded(itemID: String) async -> PlayerState.Item? {
        if let item = loadedItem(itemID) { return item.value }
        let number = nextWaiter
        nextWaiter += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: knownItem(itemID)) }
                waiters[number] = (itemID, { continuation.resume(returning: $0) })
            }
        } onCancel: {
            Task { @MainActor in
                guard let waiter = self.waiters.removeValue(forKey: number) else { return }
                waiter.resume(self.knownItem(itemID))
            }
        }
    }

    /// The item where there is nothing to wait for any more: `value` is nil where it is gone.
    func loadedItem(_ id: String) -> (value: PlayerState.Item?, Void)? {
        guard playlist.currentID == id, let item = published.currentItem, item.id == id else { return (knownItem(id), ()) }
        return item.status == "unknown" ? nil : (item, ())
    }

    func knownItem(_ id: String) -> PlayerState.Item? {
        book.item(of: id, open: openItem(of: id))
    }

    func takeWaiters(_ isReady: (String) -> Bool) -> [(PlayerState.Item?) -> Void] {
        let ready = waiters.filter { isReady($0.value.itemID) }
        for number in ready.keys { waiters[number] = nil }
        return ready.sorted { $0.key < $1.key }.map(\.value.resume)
    }

    func answerWaiters() {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], let item = loadedItem(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item.value)
        }
    }

    public func observeTime(every interval: Double, _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken {
        let period = CMTime(value: max(1, Int64((min(max(interval, 0), 1e6) * 1e6).rounded())), timescale: 1_000_000)
        let token = player.addPeriodicTimeObserver(forInterval: period, queue: nil) { [weak self] _ in
            MainActor.assumeIsolated {
                guard let self else { return }
                body(self.currentTime())
            }
        }
        return ObservationToken { [weak player] in player?.removeTimeObserver(token) }
    }

    public func observeBoundaries(at times: [Double], _ body: @escaping @MainActor (PlayerTime) -> Void) -> ObservationToken {
        let moments = times.map { CMTime(value: Int64((min(max($0, 0), 1e9) * 1e6).rounded()), timescale: 1_000_000) }
        let token = player.addBoundaryTimeObserver(forTimes: moments, queue: nil) { [weak self] in
            MainActor.assumeIsolated {
                guard let self else { return }
                body(self.currentTime())
            }
        }
        return ObservationToken { [weak player] in player?.removeTimeObserver(token) }
    }

    public nonisolated func currentTime() -> PlayerTime {
        let instant = position.now()
        return PlayerTime(currentTime: max(0, instant.time.seconds), rate: instant.rate, hostTime: instant.hostTime.seconds)
    }

    public nonisolated func artwork(itemID: String) -> Artwork? { book.artwork(of: itemID) }
}
