public import CoreMedia
import Foundation
import Platform

/// Repeats one medium, or a part of it, by several copies of an item in a queue (R-LOOP-01…04), joined without a gap if the next one is open in time.
///
/// Keep a reference: its release ends looping. Only forward playback loops, because in reverse no item follows.
@preconcurrency @MainActor public final class AVPlayerLooper: NSObject, KeyValueObserving, StateOwner {
    /// The status is unknown until the duration is known, then ready or failed, finally cancelled (R-LOOP-02).
    public enum Status: Int, Sendable {
        case unknown = 0, ready, failed, cancelled
    }
    /// The order of the copies and the other items in the queue.
    public enum ItemOrdering: Int, Sendable {
        case loopingItemsPrecedeExistingItems = 0, loopingItemsFollowExistingItems
    }

    nonisolated let hub = StateHub()
    @Turn private weak var player: AVQueuePlayer?
    private nonisolated let template: AVPlayerItem
    private nonisolated let range: CMTimeRange
    private nonisolated let ordering: ItemOrdering
    @Turn private var state = Status.unknown
    @Turn private var failure: (any Error)?
    @Turn private var count = 0
    @Turn private var copies: [AVPlayerItem] = []
    @Turn private var tokens: [NSKeyValueObservation] = []
    @Turn private var formerAction: AVPlayer.ActionAtItemEnd?

    @Turn var scheduler: any MainScheduler { (player?.environment ?? .default).scheduler }

    /// Starts looping. The player plays copies of the item, never the item itself.
    /// - Parameters:
    ///   - player: The player, whose other items stay in the queue.
    ///   - templateItem: The item that is copied.
    ///   - timeRange: The part to repeat; the whole item if invalid. If it is not inside the item, the looper fails when the duration is known.
    ///   - existingItemsOrdering: Whether the copies are before or after the other items.
    public nonisolated init(
        player: AVQueuePlayer, templateItem: AVPlayerItem, timeRange: CMTimeRange = .invalid,
        existingItemsOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        demand(
            !timeRange.isValid
                || (timeRange.start.isNumeric && timeRange.start >= .zero && timeRange.duration.isNumeric && timeRange.duration > .zero),
            "R-LOOP-03: the range of a looper must be numeric, start at 0 or later, and not be empty")
        template = templateItem
        range = timeRange
        ordering = existingItemsOrdering
        super.init()
        Turn.perform { self.player = player }
        let scheduler = player.environment.scheduler
        templateItem.asset.loadValuesAsynchronously(forKeys: ["duration"]) { [weak self] in
            scheduler.async { [weak self] in Turn.perform { self?.durationIsKnown() } }
        }
    }

    deinit {
        // The object has no observers any more.
        Turn.perform { if isActive { Self.remove(copies, from: player, restoring: formerAction, keepsCurrent: true) } }
    }

    /// Observable (R-LOOP-02).
    public nonisolated var status: Status { read(.loopStatus) { state } }
    public nonisolated var error: (any Error)? { read(.loopStatus) { failure } }
    /// The number of completed repetitions. Observable (R-LOOP-04).
    public nonisolated var loopCount: Int { read(.loopCount) { count } }
    /// The copies; empty before the looper is ready, and after looping has ended.
    public nonisolated var loopingPlayerItems: [AVPlayerItem] { read(.loopItems) { copies } }

    /// Ends looping after the current repetition, and restores `actionAtItemEnd` (R-LOOP-04). May be called again.
    public nonisolated func disableLooping() {
        turn { if isActive { end(.cancelled, nil) } }
    }

    /// Whether the looper loops, or waits for the duration.
    @Turn private var isActive: Bool { state == .unknown || state == .ready }

    // MARK: Setup

    @Turn private func durationIsKnown() {
        guard state == .unknown else { return }
        guard let player else { return end(.cancelled, nil) }
        Turn.keep(player)
        var error: NSError?
        guard template.asset.statusOfValue(forKey: "duration", error: &error) == .loaded,
            case .loaded(let duration) = template.asset.status(of: .duration)
        else { return end(.failed, error ?? AVError.cancelled) }
        // Without a known duration an item cannot be repeated.
        guard duration.isNumeric, duration > .zero else {
            return end(.failed, AVError(.operationNotSupportedForAsset, message: "An item without a known duration cannot be looped."))
        }
        guard !range.isValid || range.end <= duration else {
            return end(.failed, AVError(.operationNotSupportedForAsset, message: "The range to be looped is not within the item."))
        }
        begin(player, length: range.isValid ? range.duration : duration)
    }

    /// Inserts at least three copies (R-LOOP-01), up to five of a short item, because the engine gets the current item and four following ones.
    @Turn private func begin(_ player: AVQueuePlayer, length: CMTime) {
        let number = min(5, max(3, Int((3 / length.seconds).rounded(.up))))
        let new = (0..<number).map { _ in makeCopy() }
        // The player is paused during the setup.
        let rate = player.requestedRate
        player.request(0)
        formerAction = player.actionAtItemEnd
        player.actionAtItemEnd = .advance
        if ordering == .loopingItemsPrecedeExistingItems {
            player.insertAtFront(new)
        } else {
            for item in new { player.enqueue(item, after: nil) }
        }
        hub.change([.loopItems, .loopStatus]) {
            copies = new
            state = .ready
        }
        tokens = new.map { item in
            item.observe(\.status) { [weak self] item, _ in Turn.perform { if item.phase == .failed { self?.copyFailed(item) } } }
        }
        if rate != 0 { player.requestedRate = rate }
    }

    @Turn private func makeCopy() -> AVPlayerItem {
        let copy = template.duplicate()
        copy.looper = self
        if range.isValid {
            copy.forwardPlaybackEndTime = range.end
            copy.seek(to: range.start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        return copy
    }

    // MARK: Looping

    /// Queues a copy again, after the others. Called when another item has become current.
    @Turn func copyLeft(_ copy: AVPlayerItem, _ player: AVQueuePlayer) {
        Turn.keep(self)
        guard state == .ready, copy.phase != .failed, let last = player.queue.last(where: { copies.contains($0) }) else { return }
        if let current = player.playingItem, copies.contains(current) { hub.change([.loopCount]) { count += 1 } }
        if player.accepts(copy, after: last) { player.enqueue(copy, after: last) }
    }

    @Turn private func copyFailed(_ item: AVPlayerItem) {
        guard state == .ready else { return }
        end(.failed, item.error)
    }

    /// Ends looping by failure or cancellation. The current copy is played to its end, unless the looper has failed.
    @Turn private func end(_ status: Status, _ error: (any Error)?) {
        tokens = []
        let (former, action) = (copies, formerAction)
        hub.change([.loopStatus, .loopItems]) {
            (state, failure) = (status, error)
            copies = []
        }
        formerAction = nil
        Self.remove(former, from: player, restoring: action, keepsCurrent: status != .failed)
    }

    /// Removes the copies, and restores the action at the end of an item.
    @Turn private static func remove(
        _ copies: [AVPlayerItem], from player: AVQueuePlayer?, restoring action: AVPlayer.ActionAtItemEnd?, keepsCurrent: Bool
    ) {
        guard let player else { return }
        // The copies are removed from the end, so that none becomes current meanwhile.
        let current = keepsCurrent ? player.playingItem : nil
        for item in player.queue.reversed() where item !== current && copies.contains(item) { player.dequeue(item) }
        if let action { player.actionAtItemEnd = action }
    }
}
