public import CoreMedia
package import PlaybackEngine

extension AVPlayer {
    /// A function that replaces an item by other items if the item's medium is a playlist. Its arguments are the item, the playlist, and the error
    /// with which the item would fail without the function. It returns the error with which the item fails; nil if the item was replaced.
    package typealias ListHandler = @MainActor (AVPlayerItem, MediaList, PlaybackError) -> PlaybackError?
}

/// A player of several items in sequence, without a gap. The queue of a queue player is not a playlist: items that have been played are removed
/// (R-QUEUE-02).
@preconcurrency @MainActor open class AVQueuePlayer: AVPlayer {
    /// The maximum number of items after the current item that the engine knows. The engine knows more than one following item, because items may be
    /// shorter than the device's buffer.
    private static let upcomingCount = 4

    private(set) var queue: [AVPlayerItem] = []

    /// Makes a queue player of `items`, which must be distinct and belong to no player (R-QUEUE-01).
    public convenience init(items: [AVPlayerItem]) { self.init(items: items, environment: .default) }

    /// Makes a queue player in a separate environment. Apple's API has no `init(items:environment:)`.
    public convenience init(items: [AVPlayerItem], environment: PlaybackEnvironment) {
        AVFoundation.demandMainQueue(Self.self)
        self.init(environment: environment, endAction: .advance)
        for item in items { insert(item, after: nil) }
    }

    /// Makes a queue player of one item, or of no item.
    public convenience init(playerItem item: AVPlayerItem?) { self.init(items: item.map { [$0] } ?? []) }

    /// Makes a queue player with an empty queue.
    public convenience init() { self.init(items: []) }

    /// Returns the items that will be played, the current item first. `items` is observable.
    public func items() -> [AVPlayerItem] {
        hub.access(.items)
        return queue
    }

    /// Returns whether `insert` would accept `item` after `afterItem` (R-QUEUE-04).
    public func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        demandMainQueue()
        return item.canBeAssociated && (afterItem.map { queue.contains($0) } ?? true)
    }

    /// Inserts an item after another item of the queue, or at the end of the queue (R-QUEUE-04). In an empty queue the inserted item becomes current,
    /// and plays if the requested rate is not 0 (R-QUEUE-08).
    open func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        demandMainQueue()
        demand(
            canInsert(item, after: afterItem), "R-QUEUE-04: the item is already in a player, or the item to insert it after is not in this queue")
        MainTurn.perform {
            catchUp()
            item.associate(with: self)
            let index = afterItem.flatMap { queue.firstIndex(of: $0) }.map { $0 + 1 } ?? queue.count
            hub.change([.items]) { queue.insert(item, at: index) }
            startEngine()
            if currentItem == nil { setCurrentItem(queue.first, by: .loading) } else { postUpcoming() }
        }
    }

    /// Removes an item from the queue. The removal of the current item is the same as `advanceToNextItem` (R-QUEUE-05). An item that is not in the
    /// queue is ignored.
    open func remove(_ item: AVPlayerItem) {
        demandMainQueue()
        MainTurn.perform {
            catchUp()
            guard let index = queue.firstIndex(of: item) else { return }
            if item === currentItem { return goToNext(isNatural: false) }
            hub.change([.items]) { _ = queue.remove(at: index) }
            item.dissociate()
            postUpcoming()
        }
    }

    /// Empties the queue and stops the audio (R-QUEUE-05).
    open func removeAllItems() {
        demandMainQueue()
        MainTurn.perform {
            catchUp()
            let former = queue
            hub.change(queue.isEmpty ? [] : [.items]) { queue = [] }
            if currentItem != nil { setCurrentItem(nil, by: .loading) }
            for item in former { item.dissociate() }
        }
    }

    /// Ends the current item, and continues with the next item immediately (R-QUEUE-03).
    open func advanceToNextItem() {
        demandMainQueue()
        MainTurn.perform {
            catchUp()
            if currentItem != nil { goToNext(isNatural: false) }
        }
    }

    /// Replaces the current item. The items that follow the current item stay in the queue (R-REPL-01).
    open override func replaceCurrentItem(with item: AVPlayerItem?) {
        demandMainQueue()
        guard item !== currentItem else { return }
        MainTurn.perform {
            catchUp()
            demand(item?.canBeAssociated ?? true, "R-REPL-01: the item is already in a player")
            guard let item else { return goToNext(isNatural: false) }
            item.associate(with: self)
            let former = currentItem
            hub.change([.items]) {
                if former != nil { queue.removeFirst() }
                queue.insert(item, at: 0)
            }
            setCurrentItem(item, by: .loading)
            former?.dissociate()
        }
    }

    /// Inserts items at the front of the queue, for a looper. The first inserted item becomes current; the former current item will continue later
    /// from its present position.
    func insertAtFront(_ items: [AVPlayerItem]) {
        guard let first = items.first else { return }
        MainTurn.perform {
            catchUp()
            for item in items { item.associate(with: self) }
            let former = currentItem
            if let former {
                // For the engine the former current item becomes a new item, which starts at its present position.
                former.setPendingStart(former.currentTime(), completion: nil)
                former.renewEngineID()
            }
            hub.change([.items]) { queue.insert(contentsOf: items, at: 0) }
            setCurrentItem(first, by: .loading)
        }
    }

    // MARK: Overrides for the player

    override func upcomingItems() -> [AVPlayerItem] {
        actionAtItemEnd == .advance ? Array(queue.dropFirst().prefix(Self.upcomingCount)) : []
    }
    override func ownItems() -> [AVPlayerItem] { queue }
    /// Whether the last item of the queue stays current after it has failed, instead of leaving the queue empty.
    private var keepsLastFailedItem = false
    package func keepLastFailedItem() { keepsLastFailedItem = true }
    /// Whether the current item stays current after it has failed, although items follow. Set by `Playlist`.
    private var stopsAtFailedItem = false
    package func stopAtFailedItem(_ stops: Bool) { stopsAtFailedItem = stops }
    private var ownListHandler: ListHandler?
    override var listHandler: ListHandler? { ownListHandler }
    /// Sets the function that can replace an item by other items if the item's medium is a playlist.
    package func handleLists(by handler: @escaping ListHandler) { ownListHandler = handler }
    override var skipsFailedItems: Bool { !stopsAtFailedItem && (queue.count > 1 || !keepsLastFailedItem) }

    override func upcomingItemFailed(_ item: AVPlayerItem) {
        hub.change([.items]) { queue.removeAll { $0 === item } }
        item.dissociate()
        postUpcoming()
    }

    override func goToNext(isNatural: Bool) {
        guard let former = queue.first else { return }
        var skipped: [AVPlayerItem] = []
        hub.change([.items]) {
            queue.removeFirst()
            while let next = queue.first, next.status == .failed {
                skipped.append(next)
                queue.removeFirst()
            }
        }
        setCurrentItem(queue.first, by: transition(to: queue.first, isNatural: isNatural))
        former.dissociate()
        for item in skipped { item.dissociate() }
    }

    private func transition(to next: AVPlayerItem?, isNatural: Bool) -> Transition {
        guard let next, lineup.followers.first == next.engineID else { return .loading }
        guard isNatural else { return .advancing }
        guard let timeline = engine.clock?.timeline else { return .loading }
        // The queue may have been changed while the engine was already rendering another item after the current item.
        if let last = timeline.segments.last, last.item != next.engineID, queue.allSatisfy({ $0.engineID != last.item }), !last.reachesEndOfItem {
            return .loading
        }
        return timeline.segments.contains { $0.item == next.engineID } && next.status == .readyToPlay ? .joined : .awaited
    }
}

extension AVQueuePlayer {
    /// The duration for which the end of an item and the start of the next item overlap, with an equal-power crossfade, within
    /// `CrossfadeDuration.range`. A duration of 0 (the default) joins items without a gap. Apple's API has no property `crossfadeDuration`.
    ///
    /// A crossfade overlaps at most half of either item. At the start of the overlap the next item becomes current, and the former item counts as
    /// played to its end. Because the former item ends early, its last reported time is before its duration. A change of the duration applies to all
    /// crossfades that have not been rendered yet. Audio is rendered up to two seconds before it is heard. A crossfade duration that is not numeric
    /// becomes 0.
    public var crossfadeDuration: CMTime {
        get {
            demandMainQueue()
            return CMTime(seconds: engine.settings.crossfade, preferredTimescale: 1000)
        }
        set {
            demandMainQueue()
            configure { $0.crossfade = newValue.isNumeric ? CrossfadeDuration.limited(newValue.seconds) : 0 }
        }
    }
}
