public import CoreMedia
import Foundation
import Platform

/// Repeats one medium, or a part of it, by several copies of an item in a queue (R-LOOP-01…04), joined without a gap if the next one is open in time.
///
/// Keep a reference: its release ends looping. Only forward playback loops, because in reverse no item follows. Used on the main actor.
@preconcurrency @MainActor public final class AVPlayerLooper: KeyValueObserving {
    /// The status is unknown until the duration is known, then ready or failed, finally cancelled (R-LOOP-02).
    public enum Status: Int, Sendable {
        case unknown = 0, ready, failed, cancelled
    }
    /// The order of the copies and the other items in the queue.
    public enum ItemOrdering: Int, Sendable {
        case loopingItemsPrecedeExistingItems = 0, loopingItemsFollowExistingItems
    }

    let hub = StateHub(of: AVPlayerLooper.self)
    private weak var player: AVQueuePlayer?
    private let template: AVPlayerItem
    private let range: CMTimeRange
    private let ordering: ItemOrdering
    private var state = Status.unknown
    private var failure: (any Error)?
    private var count = 0
    private var copies: [AVPlayerItem] = []
    private var tokens: [NSKeyValueObservation] = []
    private weak var playing: AVPlayerItem?
    private var formerAction: AVPlayer.ActionAtItemEnd?

    /// Starts looping. The player plays copies of the item, never the item itself.
    /// - Parameters:
    ///   - player: The player, whose other items stay in the queue.
    ///   - templateItem: The item that is copied.
    ///   - timeRange: The part to repeat; the whole item if invalid. If it is not inside the item, the looper fails when the duration is known.
    ///   - existingItemsOrdering: Whether the copies are before or after the other items.
    public init(
        player: AVQueuePlayer, templateItem: AVPlayerItem, timeRange: CMTimeRange = .invalid,
        existingItemsOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        AVFoundation.demandMainQueue(Self.self)
        demand(
            !timeRange.isValid
                || (timeRange.start.isNumeric && timeRange.start >= .zero && timeRange.duration.isNumeric && timeRange.duration > .zero),
            "R-LOOP-03: the range of a looper must be numeric, start at 0 or later, and not be empty")
        self.player = player
        template = templateItem
        range = timeRange
        ordering = existingItemsOrdering
        let scheduler = player.environment.scheduler
        templateItem.asset.loadValuesAsynchronously(forKeys: ["duration"]) { [weak self] in
            scheduler.async { [weak self] in self?.durationIsKnown() }
        }
    }

    isolated deinit { disableLooping() }

    /// Observable (R-LOOP-02).
    public var status: Status {
        hub.access(.loopStatus)
        return state
    }
    public var error: (any Error)? {
        hub.access(.loopStatus)
        return failure
    }
    /// The number of completed repetitions. Observable (R-LOOP-04).
    public var loopCount: Int {
        hub.access(.loopCount)
        return count
    }
    /// The copies; empty before the looper is ready, and after looping has ended.
    public var loopingPlayerItems: [AVPlayerItem] {
        hub.access(.loopItems)
        return copies
    }

    /// Ends looping after the current repetition, and restores `actionAtItemEnd` (R-LOOP-04). May be called again.
    public func disableLooping() {
        demandMainQueue()
        guard state == .unknown || state == .ready else { return }
        end(.cancelled, nil)
    }

    // MARK: Setup

    private func durationIsKnown() {
        guard state == .unknown else { return }
        guard let player else { return end(.cancelled, nil) }
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
    private func begin(_ player: AVQueuePlayer, length: CMTime) {
        let number = min(5, max(3, Int((3 / length.seconds).rounded(.up))))
        let new = (0..<number).map { _ in makeCopy() }
        MainTurn.perform {
            // The player is paused during the setup.
            let rate = player.requestedRate
            player.pause()
            formerAction = player.actionAtItemEnd
            player.actionAtItemEnd = .advance
            if ordering == .loopingItemsPrecedeExistingItems {
                player.insertAtFront(new)
            } else {
                for item in new { player.insert(item, after: nil) }
            }
            hub.change([.loopItems, .loopStatus]) {
                copies = new
                state = .ready
            }
            playing = player.currentItem.flatMap { new.contains($0) ? $0 : nil }
            tokens = [player.observe(\.currentItem) { [weak self] player, _ in self?.currentItemChanged(player) }]
            tokens += new.map { item in
                item.observe(\.status) { [weak self] item, _ in if item.status == .failed { self?.copyFailed(item) } }
            }
            if rate != 0 { player.requestedRate = rate }
        }
    }

    private func makeCopy() -> AVPlayerItem {
        let copy = template.copy()
        if range.isValid {
            copy.forwardPlaybackEndTime = range.end
            copy.seek(to: range.start, toleranceBefore: .zero, toleranceAfter: .zero)
        }
        return copy
    }

    // MARK: Looping

    private func currentItemChanged(_ player: AVQueuePlayer) {
        guard state == .ready else { return }
        let current = player.currentItem
        guard current !== playing else { return }
        let former = playing
        playing = current.flatMap { copies.contains($0) ? $0 : nil }
        guard let former, let last = player.items().last(where: { copies.contains($0) }) else { return }
        if playing != nil { hub.change([.loopCount]) { count += 1 } }
        // The played copy is queued again, after the others.
        if player.canInsert(former, after: last) { player.insert(former, after: last) }
    }

    private func copyFailed(_ item: AVPlayerItem) {
        guard state == .ready else { return }
        end(.failed, item.error)
    }

    /// Ends looping by failure or cancellation: removes the copies, and restores the action at the end. The current copy is played to its end, unless
    /// the looper has failed.
    private func end(_ status: Status, _ error: (any Error)?) {
        tokens = []
        MainTurn.perform {
            let former = copies
            hub.change([.loopStatus, .loopItems]) {
                (state, failure) = (status, error)
                copies = []
            }
            guard let player else { return }
            // The copies are removed from the end, so that none becomes current meanwhile.
            let current = status == .failed ? nil : player.currentItem
            for item in player.items().reversed() where item !== current && former.contains(item) { player.remove(item) }
            if let formerAction { player.actionAtItemEnd = formerAction }
            formerAction = nil
        }
    }
}
