public import CoreMedia
import Foundation
package import PlaybackEngine

extension AVPlayer {
    /// A function that handles an item whose medium is a playlist. It gets the item, the playlist, and the error with which the item would fail. It
    /// returns the error with which the item fails, or nil if the item was replaced.
    package typealias ListHandler = @MainActor (AVPlayerItem, MediaList, PlaybackError) -> PlaybackError?
}

/// A player of several items in sequence, without a gap. Played items are removed (R-QUEUE-02).
@preconcurrency @MainActor open class AVQueuePlayer: AVPlayer {
    /// The number of items that the engine gets in advance; more than one, because items may be shorter than the device's buffer.
    private nonisolated static let upcomingCount = 4

    @Turn private(set) var queue: [AVPlayerItem] = []

    /// Makes a player of distinct items that belong to no player (R-QUEUE-01).
    public nonisolated init(items: [AVPlayerItem]) {
        super.init(playerItem: nil)
        turn { for item in items { enqueue(item, after: nil) } }
    }

    /// Makes a player with an environment of its own. Not in Apple's API.
    public nonisolated init(items: [AVPlayerItem], environment: PlaybackEnvironment) {
        super.init(playerItem: nil, environment: environment)
        turn { for item in items { enqueue(item, after: nil) } }
    }

    public nonisolated override init() { super.init() }
    public nonisolated override init(url: URL) { super.init(url: url) }
    public nonisolated override init(playerItem item: AVPlayerItem?) { super.init(playerItem: item) }
    public nonisolated override init(playerItem item: AVPlayerItem?, environment: PlaybackEnvironment) {
        super.init(playerItem: item, environment: environment)
    }

    /// The queued items, the current one first. Observable.
    open nonisolated func items() -> [AVPlayerItem] { read(.items) { queue } }

    /// Whether `insert` would accept the item (R-QUEUE-04).
    open nonisolated func canInsert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        Turn.perform { accepts(item, after: afterItem) }
    }

    @Turn func accepts(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) -> Bool {
        item.owner == nil && (afterItem.map { queue.contains($0) } ?? true)
    }

    /// Inserts an item; at the end if `afterItem` is nil (R-QUEUE-04). In an empty queue it becomes current, and plays if the requested rate is
    /// not 0 (R-QUEUE-08).
    open nonisolated func insert(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) { turn { enqueue(item, after: afterItem) } }

    @Turn func enqueue(_ item: AVPlayerItem, after afterItem: AVPlayerItem?) {
        demand(accepts(item, after: afterItem), "R-QUEUE-04: the item is already in a player, or the item to insert it after is not in this queue")
        catchUp()
        item.associate(with: self)
        let index = afterItem.flatMap { queue.firstIndex(of: $0) }.map { $0 + 1 } ?? queue.count
        hub.change([.items]) { queue.insert(item, at: index) }
        startEngine()
        if playingItem == nil { setCurrentItem(queue.first, by: .loading) } else { postUpcoming() }
    }

    /// Removes an item. Removing the current item is `advanceToNextItem` (R-QUEUE-05); an item that is not queued is ignored.
    open nonisolated func remove(_ item: AVPlayerItem) { turn { dequeue(item) } }

    @Turn func dequeue(_ item: AVPlayerItem) {
        catchUp()
        guard let index = queue.firstIndex(of: item) else { return }
        if item === playingItem { return goToNext(isNatural: false) }
        hub.change([.items]) { _ = queue.remove(at: index) }
        item.dissociate()
        postUpcoming()
    }

    /// Removes all items, and stops the audio (R-QUEUE-05).
    open nonisolated func removeAllItems() {
        turn {
            catchUp()
            let former = queue
            hub.change(queue.isEmpty ? [] : [.items]) { queue = [] }
            if playingItem != nil { setCurrentItem(nil, by: .loading) }
            for item in former { item.dissociate() }
        }
    }

    /// Makes the next item current (R-QUEUE-03).
    open nonisolated func advanceToNextItem() {
        turn {
            catchUp()
            if playingItem != nil { goToNext(isNatural: false) }
        }
    }

    /// Replaces the current item; the following items stay (R-REPL-01).
    override func replace(with item: AVPlayerItem?) {
        catchUp()
        demand(item?.owner == nil, "R-REPL-01: the item is already in a player")
        guard let item else { return goToNext(isNatural: false) }
        item.associate(with: self)
        let former = playingItem
        hub.change([.items]) {
            if former != nil { queue.removeFirst() }
            queue.insert(item, at: 0)
        }
        setCurrentItem(item, by: .loading)
        if let former { leave(former) }
    }

    /// Ends the connection with the former current item. A looper queues its copy again in the same turn, because the next copy may end in it too.
    @Turn private func leave(_ former: AVPlayerItem) {
        former.dissociate()
        former.looper?.copyLeft(former, self)
    }

    /// Inserts the items of a looper: the first one becomes current, the former one continues later from its present position.
    @Turn func insertAtFront(_ items: [AVPlayerItem]) {
        guard let first = items.first else { return }
        catchUp()
        for item in items { item.associate(with: self) }
        let former = playingItem
        if let former {
            // The engine treats the former item as a new one.
            former.setPendingStart(heardTime, completion: nil)
            former.renewEngineID()
        }
        hub.change([.items]) { queue.insert(contentsOf: items, at: 0) }
        setCurrentItem(first, by: .loading)
    }

    // MARK: Overrides for the player

    override var firstEndAction: PlaybackMachine.EndAction { .advance }
    override func receiveFirst(_ item: AVPlayerItem) { enqueue(item, after: nil) }
    override func upcomingItems() -> [AVPlayerItem] {
        // The engine gets no item behind one that is held, because that is opened again when it becomes current.
        guard machine.endAction == .advance, queue.first?.isHeld != true else { return [] }
        return Array(queue.dropFirst().prefix(Self.upcomingCount).prefix { !$0.isHeld })
    }
    override func ownItems() -> [AVPlayerItem] { queue }
    /// Whether the last item stays in the queue if it fails, so that the queue does not become empty.
    @Turn private var keepsLastFailedItem = false
    package nonisolated func keepLastFailedItem() { Turn.perform { keepsLastFailedItem = true } }
    /// Whether the player stops at a failed item although items follow. Set by `ItemLoader`.
    @Turn private var stopsAtFailedItem = false
    package nonisolated func stopAtFailedItem(_ stops: Bool) { Turn.perform { stopsAtFailedItem = stops } }
    @Turn private var ownListHandler: ListHandler?
    override var listHandler: ListHandler? { ownListHandler }
    package nonisolated func handleLists(by handler: @escaping ListHandler) { Turn.perform { ownListHandler = handler } }
    @Turn private var ownFailureHandler: FailureHandler?
    override var failureHandler: FailureHandler? { ownFailureHandler }
    package nonisolated func handleFailures(by handler: @escaping FailureHandler) { Turn.perform { ownFailureHandler = handler } }
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
            while let next = queue.first, next.phase == .failed {
                skipped.append(next)
                queue.removeFirst()
            }
        }
        setCurrentItem(queue.first, by: transition(to: queue.first, isNatural: isNatural))
        leave(former)
        for item in skipped { item.dissociate() }
    }

    @Turn private func transition(to next: AVPlayerItem?, isNatural: Bool) -> Transition {
        guard let next, lineup.followers.first == next.engineID else { return .loading }
        guard isNatural else { return .advancing }
        guard let timeline = engine.clock?.timeline else { return .loading }
        // The queue may have changed while the engine rendered another item after the current one.
        if let last = timeline.segments.last, last.item != next.engineID, queue.allSatisfy({ $0.engineID != last.item }), !last.reachesEndOfItem {
            return .loading
        }
        return timeline.segments.contains { $0.item == next.engineID } && next.phase == .readyToPlay ? .joined : .awaited
    }
}

extension AVQueuePlayer {
    /// How long the end of an item and the start of the next overlap, at equal power, within `CrossfadeDuration.range`; 0 (the default, also for
    /// times that are not numeric) joins them without a gap. Not in Apple's API.
    ///
    /// The overlap lasts at most half of either item. At its start the next item becomes current, and the former counts as played to its
    /// end, although its last time is before its duration. A change applies to crossfades that are not rendered yet, up to two seconds
    /// before they are heard.
    public nonisolated var crossfadeDuration: CMTime {
        get { Turn.perform { CMTime(seconds: engine.settings.crossfade, preferredTimescale: 1000) } }
        set { turn { configure { $0.crossfade = newValue.isNumeric ? CrossfadeDuration.limited(newValue.seconds) : 0 } } }
    }
}
