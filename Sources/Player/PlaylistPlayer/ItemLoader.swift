import AVFoundation
import CoreMedia
import PlaybackEngine

@MainActor protocol QueuedEntryObserver: AnyObject {
    func entry(_ entry: QueuedEntry, didReport event: QueuedEntry.Event)
}

/// Fills an `AVQueuePlayer` with the items of the current entry and its followers. The queue player decides when the next item becomes current, and
/// the playlist follows. Without a follower, the queue player pauses at the end of the current item.
@MainActor final class ItemLoader {
    /// The number of items after the current one that are opened ahead; more than one, because an entry may be shorter than the device's buffer.
    static let lookahead = 3

    /// The entries whose items are in the queue player, in the order of playback, the current one first.
    private(set) var queued: [QueuedEntry] = []
    /// The action at the end of an item that a client has set. The queue player itself gets `pause` if playback must pause at that end.
    private(set) var actionAtItemEnd = AVPlayer.ActionAtItemEnd.advance
    private(set) var pitchAlgorithm = AVAudioTimePitchAlgorithm.timeDomain

    /// The number of entries that have failed since an entry was opened, or a client requested playback.
    private var consecutiveFailures = 0
    /// The number of failures in a row at which the queue stops.
    private static let failureLimit = 5

    private let player: AVQueuePlayer
    private let model: QueueModel
    private let publisher: StatePublisher
    private let sleepTimer: SleepTimer
    private let absentMedia: AbsentMedia
    private let environment: PlaybackEnvironment
    private weak var observer: (any QueuedEntryObserver)?
    /// Returns the remembered position of the medium with a URL.
    private let remembered: @MainActor (String) -> MediaPosition?

    init(
        _ player: AVQueuePlayer, model: QueueModel, publisher: StatePublisher, sleepTimer: SleepTimer, absentMedia: AbsentMedia,
        environment: PlaybackEnvironment, remembered: @escaping @MainActor (String) -> MediaPosition?
    ) {
        self.player = player
        self.model = model
        self.publisher = publisher
        self.sleepTimer = sleepTimer
        self.absentMedia = absentMedia
        self.environment = environment
        self.remembered = remembered
    }

    /// Sets the observer; called once.
    func start(with observer: any QueuedEntryObserver) { self.observer = observer }

    var current: QueuedEntry? { queued.first }

    func item(of id: String) -> AVPlayerItem? { queued.first { $0.id == id }?.item }

    // MARK: The current entry

    /// Makes an entry current. If its item is the next one in the queue player, the player advances to it.
    func go(to entry: PlaylistEntry) {
        forgetFailuresInRow()
        model.forgetFailure(of: entry.id)
        if queued.count > 1, queued[1].id == entry.id {
            player.advanceToNextItem()
        } else {
            model.go(to: entry.id)
            load(entry)
        }
    }

    /// Loads an entry; the requested rate stays. `startTime` is in seconds of media time; nil means the entry's own start position, otherwise the
    /// remembered position of its medium, otherwise the start.
    func load(_ entry: PlaylistEntry, startTime: Double? = nil) {
        let new = open(entry, startTime: startTime)
        let former = queued
        queued = [new]
        for follower in former.dropFirst() { player.remove(follower.item) }
        if player.currentItem == nil { player.insert(new.item, after: nil) } else { player.replaceCurrentItem(with: new.item) }
        for entry in former { leave(entry) }
        fill()
    }

    func unload() {
        drop(queued)
        player.removeAllItems()
    }

    // MARK: Followers

    /// Whether no item follows the current one in the queue player, although the action at the end of an item is `advance`.
    var isAtEndOfQueue: Bool { actionAtItemEnd == .advance && queued.count < 2 }

    /// Updates the items of the followers in the queue player, and the queue player's action at the end of an item.
    func fill() {
        guard let first = queued.first else { return }
        let count = min(Self.lookahead, sleepTimer.mostFollowers ?? .max)
        // After several failures no follower is opened, because all would fail, one after the other.
        let followers = actionAtItemEnd == .advance && count > 0 && !isStoppedByFailures ? model.following(count) : []
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

    /// Counts a failure; after several in a row the queue stops.
    func countFailure() {
        consecutiveFailures += 1
        if isStoppedByFailures { player.stopAtFailedItem(true) }
    }

    var isStoppedByFailures: Bool { consecutiveFailures >= Self.failureLimit }

    /// Called when an entry was opened, or a client requests playback.
    func forgetFailuresInRow() {
        guard consecutiveFailures > 0 else { return }
        consecutiveFailures = 0
        player.stopAtFailedItem(false)
    }

    /// Replaces a failed entry, but not the current one; the next entry takes its place.
    func replaceFailed(_ failed: QueuedEntry) {
        guard failed.item !== player.currentItem, failed !== queued.first else { return }
        drop([failed])
        fill()
    }

    /// Opens a follower again because the medium of its entry has changed.
    func replaceFollower(_ entry: QueuedEntry) {
        drop([entry])
        player.remove(entry.item)
        fill()
    }

    /// Called when the queue player's current item has changed.
    func followPlayer() {
        publisher.invalidateAnchor()
        guard let current = player.currentItem, let at = queued.firstIndex(where: { $0.item === current }) else {
            if player.currentItem == nil { drop(queued) }
            return publisher.scheduleUpdate()
        }
        // Short entries may have been heard between two turns.
        let passed = queued[..<at].dropFirst().map(\.id)
        drop(Array(queued[..<at]))
        if model.playlist.currentID != queued[0].id || at > 0 {
            model.go(to: queued[0].id, past: passed)
            publisher.note(.itemAdvanced, isConsequence: true)
        }
        sleepTimer.itemsDidLeave()
        fill()
    }

    private func open(_ entry: PlaylistEntry, startTime: Double? = nil) -> QueuedEntry {
        let item = AVPlayerItem(asset: AVAsset(source: entry.spec.source, environment: environment))
        item.audioTimePitchAlgorithm = pitchAlgorithm
        let wanted = startTime ?? entry.spec.startTime
        let remembered = wanted == nil ? remembered(entry.spec.url) : nil
        if let start = wanted ?? remembered?.time, start > 0 {
            item.seek(to: CMTime(remoteSeconds: start), toleranceBefore: .zero, toleranceAfter: .zero)
        }
        let requested = wanted.map { CMTime(remoteSeconds: $0) }
        return QueuedEntry(entry, item: item, requestedStart: requested, rememberedStart: remembered) { [weak self] entry, event in
            self?.observer?.entry(entry, didReport: event)
        }
    }

    private func drop(_ removed: [QueuedEntry]) {
        guard !removed.isEmpty else { return }
        queued.removeAll { entry in removed.contains { $0 === entry } }
        for entry in removed { leave(entry) }
    }

    private func leave(_ entry: QueuedEntry) {
        entry.stopObserving()
        absentMedia.forget(entry.id)
    }

    // MARK: Settings

    func setActionAtItemEnd(_ action: AVPlayer.ActionAtItemEnd) {
        actionAtItemEnd = action
        fill()
        if queued.isEmpty { player.actionAtItemEnd = action }
    }

    func setPitchAlgorithm(_ algorithm: AVAudioTimePitchAlgorithm) {
        pitchAlgorithm = algorithm
        for entry in queued { entry.item.audioTimePitchAlgorithm = algorithm }
    }
}
