public import CoreMedia
import Foundation
import PlaybackEngine

/// Plays one medium, or a part of it, over and over, by keeping several copies of an item in a queue (R-LOOP-01…04).
///
/// Keep it for as long as it is to loop: dropping it disables looping. The joints are without a gap wherever the engine has the next copy open in time.
/// Forward only: backwards, nothing follows the start. Main actor, as the player.
@preconcurrency @MainActor public final class AVPlayerLooper: KeyValueObserving {
    /// Unknown until the duration is; then it loops, or has failed; at last cancelled (R-LOOP-02).
    public enum Status: Int, Sendable {
        case unknown = 0, ready, failed, cancelled
    }
    /// Where the copies go when other items are in the queue.
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
    /// The copy that is current.
    private weak var playing: AVPlayerItem?
    private var formerAction: AVPlayer.ActionAtItemEnd?

    /// Loops an item, which itself is not played: copies of it are.
    ///
    /// - Parameters:
    ///   - player: plays the copies; its items of its own stay in its queue.
    ///   - templateItem: what is looped, with its settings; it is not played itself.
    ///   - timeRange: what of it; an invalid range is all. It must lie in the item, which is known when its duration is: one that does not makes the
    ///     looper fail.
    ///   - existingItemsOrdering: whether the copies come before or behind the items that the player has already.
    public init(
        player: AVQueuePlayer, templateItem: AVPlayerItem, timeRange: CMTimeRange = .invalid,
        existingItemsOrdering: ItemOrdering = .loopingItemsPrecedeExistingItems
    ) {
        AVFoundation.demandMainQueue(Self.self)
        demand(
            !timeRange.isValid
                || (timeRange.start.isNumeric && timeRange.start >= .zero && timeRange.duration.isNumeric && timeRange.duration > .zero),
            "R-LOOP-03: the range of a looper is numeric, begins at 0 or later and is not empty")
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
    /// Why it failed, nil otherwise.
    public var error: (any Error)? {
        hub.access(.loopStatus)
        return failure
    }
    /// How often the item has begun again; observable (R-LOOP-04).
    public var loopCount: Int {
        hub.access(.loopCount)
        return count
    }
    /// The copies that take turns; none before it is ready and after it is cancelled.
    public var loopingPlayerItems: [AVPlayerItem] {
        hub.access(.loopItems)
        return copies
    }

    /// Lets the present pass play to its end, and no other begin; `actionAtItemEnd` is again what it was (R-LOOP-04). Idempotent.
    public func disableLooping() {
        demandMainQueue()
        guard state == .unknown || state == .ready else { return }
        end(.cancelled, nil)
    }

    // MARK: Setting up

    private func durationIsKnown() {
        guard state == .unknown else { return }
        guard let player else { return end(.cancelled, nil) }
        var error: NSError?
        guard template.asset.statusOfValue(forKey: "duration", error: &error) == .loaded,
            case .loaded(let duration) = template.asset.status(of: .duration)
        else { return end(.failed, error ?? AVError.cancelled) }
        // An item without an end is played once, for ever: there is nothing to begin again.
        guard duration.isNumeric, duration > .zero else {
            return end(.failed, AVError(.operationNotSupportedForAsset, message: "What has no known end cannot be looped."))
        }
        guard !range.isValid || range.end <= duration else {
            return end(.failed, AVError(.operationNotSupportedForAsset, message: "The range to be looped does not lie in the item."))
        }
        begin(player, length: range.isValid ? range.duration : duration)
    }

    /// R-LOOP-01: at least three copies, and as many more as a queue looks ahead where they are short.
    private func begin(_ player: AVQueuePlayer, length: CMTime) {
        let number = min(5, max(3, Int((3 / length.seconds).rounded(.up))))
        let new = (0..<number).map { _ in makeCopy() }
        MainTurn.perform {
            // Paused while it is set up, and then as before.
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
        // The one that has been played comes again behind the others.
        if player.canInsert(former, after: last) { player.insert(former, after: last) }
    }

    private func copyFailed(_ item: AVPlayerItem) {
        guard state == .ready else { return }
        end(.failed, item.error)
    }

    private func end(_ status: Status, _ error: (any Error)?) {
        tokens = []
        MainTurn.perform {
            let former = copies
            hub.change([.loopStatus, .loopItems]) {
                (state, failure) = (status, error)
                copies = []
            }
            guard let player else { return }
            // The last first, so that none becomes current only to go. Where one failed the present pass is none that could play on.
            let current = status == .failed ? nil : player.currentItem
            for item in player.items().reversed() where item !== current && former.contains(item) { player.remove(item) }
            if let formerAction { player.actionAtItemEnd = formerAction }
            formerAction = nil
        }
    }
}
