import AVFoundation
import CoreMedia
import PlaybackEngine

/// An observer of the items in the queue player.
@MainActor protocol QueuedEntryObserver: AnyObject {
    func entry(_ entry: QueuedEntry, didReport event: QueuedEntry.Event)
}

/// Fills an `AVQueuePlayer` with the item of the current entry, and the items of the entries that follow the current entry.
///
/// The queue player decides when the next item becomes current; after that, the playlist makes the entry of this item current. If no item follows,
/// the feeder sets the queue player to pause at the end of the current item.
@MainActor final class QueueFeeder {
    /// The maximum number of items that the queue player has after the current item. The queue player has more than one following item, because an
    /// entry may be shorter than the device's buffer.
    static let lookahead = 3

    /// The entries whose items are in the queue player, in the order of playback, the current entry first.
    private(set) var queued: [QueuedEntry] = []
    /// The action at the end of an item, as a client has set it. If playback must pause at the end of the current item, the queue player has the
    /// action `pause` instead.
    private(set) var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    private(set) var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    /// The number of entries that have failed since an entry was last opened successfully, or since a client last requested playback.
    private var consecutiveFailures = 0
    /// The number of consecutive failures after which the queue stops.
    private static let failureLimit = 5

    private let player: AVQueuePlayer
    private let book: EntryBook
    private let publisher: StatePublisher
    private let sleepTimer: SleepTimer
    private let environment: PlaybackEnvironment
    private weak var observer: (any QueuedEntryObserver)?
    /// Returns the position at which the medium with a URL was last left; nil if no position is remembered.
    private let remembered: @MainActor (String) -> MediaPosition?

    /// A feeder for a queue player without items.
    init(
        _ player: AVQueuePlayer, book: EntryBook, publisher: StatePublisher, sleepTimer: SleepTimer, environment: PlaybackEnvironment,
        remembered: @escaping @MainActor (String) -> MediaPosition?
    ) {
        self.player = player
        self.book = book
        self.publisher = publisher
        self.sleepTimer = sleepTimer
        self.environment = environment
        self.remembered = remembered
    }

    /// Starts to report the events of items to `observer`. `start` is called once.
    func start(with observer: any QueuedEntryObserver) { self.observer = observer }

    /// The current entry with its item; nil if the queue player has no item.
    var current: QueuedEntry? { queued.first }

    /// Returns the item of an entry in the queue player; nil if the queue player has no item of that entry.
    func item(of id: String) -> AVPlayerItem? { queued.first { $0.id == id }?.item }

    // MARK: The current entry

    /// Makes an entry current. If the entry is the next entry, the queue player advances to the item that is already open.
    func go(to entry: PlaylistEntry) {
        forgetFailuresInRow()
        book.forgetFailure(of: entry.id)
        if queued.count > 1, queued[1].id == entry.id {
            player.advanceToNextItem()
        } else {
            book.edit { _ = $0.go(to: entry.id) }
            load(entry)
        }
    }

    /// Creates an item of the current entry, and makes that item the queue player's current item. Loading an item keeps the requested rate.
    ///
    /// - Parameter startTime: The start position in seconds of media time; nil means the start position of the entry, the remembered position, or the
    ///   start of the medium.
    func load(_ entry: PlaylistEntry, startTime: Double? = nil) {
        let new = open(entry, startTime: startTime)
        let former = queued
        queued = [new]
        for follower in former.dropFirst() { player.remove(follower.item) }
        if player.currentItem == nil { player.insert(new.item, after: nil) } else { player.replaceCurrentItem(with: new.item) }
        for entry in former { entry.stopObserving() }
        feed()
    }

    /// Removes all items from the queue player.
    func unload() {
        drop(queued)
        player.removeAllItems()
    }

    // MARK: Feeding

    /// Whether playback pauses at the end of the current item because the queue player has no item after it.
    var isAtEndOfQueue: Bool { actionAtItemEnd == .advance && queued.count < 2 }

    /// Updates the items that follow the current item in the queue player, and the queue player's action at the end of the current item.
    func feed() {
        guard let first = queued.first else { return }
        let count = min(Self.lookahead, sleepTimer.mostFollowers ?? .max)
        // After several failures in a row no further entry is opened ahead, because all of them would fail, one after the other.
        let followers = actionAtItemEnd == .advance && count > 0 && !isStoppedByFailures ? book.following(count) : []
        var kept = 0
        while kept + 1 < queued.count, kept < followers.count, queued[kept + 1].id == followers[kept].id, queued[kept + 1].item.status != .failed {
            kept += 1
        }
        let surplus = Array(queued[(kept + 1)...])
        for entry in surplus { player.remove(entry.item) }
        drop(surplus)
        var last = queued.last ?? first
        for entry in followers.dropFirst(kept) {
            let new = open(entry)
            guard player.canInsert(new.item, after: last.item) else { continue }
            queued.append(new)
            player.insert(new.item, after: last.item)
            last = new
        }
        let pauses = sleepTimer.isAtEndOfItem || isAtEndOfQueue
        let action = pauses ? .pause : actionAtItemEnd
        if player.actionAtItemEnd != action { player.actionAtItemEnd = action }
        publisher.scheduleUpdate()
    }

    /// Counts the failure of an entry. After several failures in a row the queue stops.
    func countFailure() {
        consecutiveFailures += 1
        if isStoppedByFailures { player.stopAtFailedItem(true) }
    }

    /// Whether so many entries in a row have failed that the queue has been stopped.
    var isStoppedByFailures: Bool { consecutiveFailures >= Self.failureLimit }

    /// Lets the queue skip failed entries again, because an entry was opened successfully, or because a client requests playback.
    func forgetFailuresInRow() {
        guard consecutiveFailures > 0 else { return }
        consecutiveFailures = 0
        player.stopAtFailedItem(false)
    }

    /// Removes an entry whose item has failed from the queue player, unless the item is current, and adds the next entry instead.
    func replaceFailed(_ failed: QueuedEntry) {
        guard failed.item !== player.currentItem, failed !== queued.first else { return }
        drop([failed])
        feed()
    }

    /// Removes the item of an entry that is not current, because the entry has another medium now, and opens the new one instead.
    func replaceFollower(_ entry: QueuedEntry) {
        drop([entry])
        player.remove(entry.item)
        feed()
    }

    /// Updates the playlist after the queue player's current item has changed.
    func followPlayer() {
        publisher.invalidateAnchor()
        guard let current = player.currentItem, let at = queued.firstIndex(where: { $0.item === current }) else {
            if player.currentItem == nil { drop(queued) }
            return publisher.scheduleUpdate()
        }
        drop(Array(queued[..<at]))
        if book.playlist.currentID != queued[0].id || at > 0 {
            book.edit { _ = $0.go(to: queued[0].id) }
            publisher.note(.itemAdvanced, isConsequence: true)
        }
        sleepTimer.itemsDidLeave()
        feed()
    }

    private func open(_ entry: PlaylistEntry, startTime: Double? = nil) -> QueuedEntry {
        let item = AVPlayerItem(asset: AVAsset(source: entry.spec.source, environment: environment))
        item.audioTimePitchAlgorithm = pitchAlgorithm
        let wanted = startTime ?? entry.spec.startTime
        let remembered = wanted == nil ? remembered(entry.spec.url) : nil
        if let start = wanted ?? remembered?.time, start > 0 {
            item.seek(to: CMTime(remoteSeconds: start), toleranceBefore: .zero, toleranceAfter: .zero)
        }
        return QueuedEntry(entry, item: item, rememberedStart: remembered) { [weak self] entry, event in
            self?.observer?.entry(entry, didReport: event)
        }
    }

    private func drop(_ removed: [QueuedEntry]) {
        guard !removed.isEmpty else { return }
        queued.removeAll { entry in removed.contains { $0 === entry } }
        for entry in removed { entry.stopObserving() }
    }

    // MARK: Settings

    func setActionAtItemEnd(_ action: AVPlayer.ActionAtItemEnd) {
        actionAtItemEnd = action
        feed()
        if queued.isEmpty { player.actionAtItemEnd = action }
    }

    func setPitchAlgorithm(_ algorithm: AVAudioTimePitchAlgorithm) {
        pitchAlgorithm = algorithm
        for entry in queued { entry.item.audioTimePitchAlgorithm = algorithm }
    }
}
