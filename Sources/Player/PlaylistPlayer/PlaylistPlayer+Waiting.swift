import AVFoundation
import CoreMedia
import Platform
public import PlaybackEngine

/// Waiting for items, observing time, and serving other threads.
extension PlaylistPlayer {
    public func waitUntilLoaded(itemID: String) async -> PlayerState.Item? {
        if case .ended(let item) = progress(of: itemID) { return item }
        if isShutDown { return nil }
        return await loadWaiters.wait(for: itemID) { self.knownItem(itemID) }
    }

    func progress(of id: String) -> LoadWaiters.Progress {
        // If the first media of a playlist cannot be opened, the next one is awaited.
        if let current = playlist.current, current.id != id, isAlternative(current, to: id) {
            guard let item = publisher.published.currentItem, item.id == current.id, item.status != .unknown else { return .pending }
            return .ended(item)
        }
        guard playlist.currentID == id, let item = publisher.published.currentItem, item.id == id else { return .ended(knownItem(id)) }
        return item.status == .unknown ? .pending : .ended(item)
    }

    func knownItem(_ id: String) -> PlayerState.Item? { model.item(of: id, open: loader.item(of: id)) }

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

    /// Calls `body` each time that playback crosses `seconds` of media time (R-BTO-01), until the returned token is cancelled.
    func observeBoundary(at seconds: Double, _ body: @escaping @MainActor () -> Void) -> ObservationToken {
        let time = CMTime(value: Int64((min(max(seconds, 0), 1e9) * 1e6).rounded()), timescale: 1_000_000)
        let token = player.addBoundaryTimeObserver(forTimes: [time], queue: nil) { MainActor.assumeIsolated(body) }
        return ObservationToken { [weak player] in player?.removeTimeObserver(token) }
    }

    public nonisolated func currentTime() -> PlayerTime {
        let (instant, isPublished) = position.publishedNow()
        return PlayerTime(
            currentTime: max(0, instant.time.seconds), rate: instant.rate, hostTime: instant.hostTime.seconds, isPublished: isPublished)
    }

    public nonisolated func artwork(itemID: String) -> Artwork? { model.artwork(of: itemID) }
}

/// Requests that wait until an item is loaded, has failed or was removed.
@MainActor final class LoadWaiters {
    enum Progress {
        case pending
        /// The wait has ended: the item is loaded, failed, or no longer current. The value is nil if the item was removed from the playlist.
        case ended(PlayerState.Item?)
    }

    private var waiters: [Int: (itemID: String, resume: (PlayerState.Item?) -> Void)] = [:]
    private var nextNumber = 0

    /// Waits until the wait for an item has ended (`Progress`), and returns the item. If the task is cancelled, returns the result of `item` at once.
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

    /// Answers the requests whose wait has ended, the one that has waited longest first.
    func answer(_ progress: (String) -> Progress) {
        for number in waiters.keys.sorted() {
            guard let waiter = waiters[number], case .ended(let item) = progress(waiter.itemID) else { continue }
            waiters[number] = nil
            waiter.resume(item)
        }
    }
}
