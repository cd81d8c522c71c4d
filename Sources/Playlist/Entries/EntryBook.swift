import AVFoundation
import PlaybackEngine
import Synchronization

/// The entries of a playlist, with the failure, item, facts and artwork of each. These are removed with the entry.
@MainActor final class EntryBook {
    private(set) var playlist: PlaylistMachine

    /// The failures of entries that could not be played. These entries are skipped until a client requests them.
    private var failures: [String: PlayerState.Failure] = [:] {
        didSet { isQueueStale = true }
    }
    /// The items of entries that have been opened, kept after their items were closed.
    private var items: [String: PlayerState.Item] = [:]
    private var facts = MediaFactsCache()
    private nonisolated let artworks = Mutex(ArtworkCache())
    /// Whether the queue differs from the one that was published last.
    private var isQueueStale = false

    /// A book without entries.
    /// - Parameter seed: The seed of the shuffle.
    init(seed: UInt64) { playlist = PlaylistMachine(seed: seed) }

    // MARK: Entries

    /// Changes the playlist, and discards the data of removed entries.
    func edit<Result>(_ body: (inout PlaylistMachine) -> Result) -> Result {
        let (revision, current) = (playlist.revision, playlist.currentID)
        let result = body(&playlist)
        isQueueStale = isQueueStale || current != playlist.currentID
        guard revision != playlist.revision else { return result }
        isQueueStale = true
        artworks.withLock { $0.remove { playlist.index(of: $0) == nil } }
        failures = failures.filter { playlist.index(of: $0.key) != nil }
        items = items.filter { playlist.index(of: $0.key) != nil }
        facts.remove { playlist.index(of: $0) == nil }
        return result
    }

    /// Changes the playback order, and with it possibly the next entry.
    func editOrder(_ body: (inout PlaylistMachine) -> Void) {
        edit(body)
        isQueueStale = true
    }

    /// Removes an entry. If it was current, the next entry that has not failed becomes current. Returns false if there is no such entry.
    func remove(_ id: String) -> Bool {
        let failures = failures
        return edit { $0.remove(id, skipping: { failures[$0] != nil }) }
    }

    /// The id of the entry that `next` makes current.
    var nextID: String? { playlist.nextID(skipping: hasFailed) }

    /// The entries that follow the current one, without those that failed.
    func following(_ count: Int) -> [PlaylistEntry] { playlist.upcoming(count, skipping: hasFailed) }

    // MARK: Failures

    /// Whether the entry could not be played.
    func hasFailed(_ id: String) -> Bool { failures[id] != nil }

    /// Stores the reason why an entry cannot be played.
    func fail(_ id: String, with failure: PlayerState.Failure?) { failures[id] = failure }

    /// Stores the failures of entries whose specification has one.
    func keepFailures(of entries: [PlaylistEntry]) {
        for entry in entries { if let failure = entry.spec.failure { failures[entry.id] = failure } }
    }

    /// Removes the failure of an entry that a client requests, so that it is opened again.
    func forgetFailure(of id: String) { if hasFailed(id) { failures[id] = nil } }

    // MARK: Items

    /// The item of an entry as remotes see it; nil if there is no such entry.
    ///
    /// - Parameter item: The entry's item if it has one now.
    func item(of id: String, open item: AVPlayerItem?) -> PlayerState.Item? {
        playlist.entry(id).map { PlayerState.Item($0, item: item, failure: failures[id]) }
    }

    /// Returns the item of an entry as remotes see it: from its open item, otherwise as it was when its item was open last.
    ///
    /// - Parameter item: The entry's item if it has one now.
    func describe(_ entry: PlaylistEntry, open item: AVPlayerItem?) -> PlayerState.Item {
        if let item, item.status != .unknown || entry.id == playlist.currentID {
            return PlayerState.Item(entry, item: item, failure: failures[entry.id])
        }
        guard failures[entry.id] == nil, let known = items[entry.id] else { return PlayerState.Item(entry, item: nil, failure: failures[entry.id]) }
        return known
    }

    /// Stores the properties and metadata of an entry's item. Returns the item if its metadata are new.
    func learn(of id: String, from item: AVPlayerItem) -> PlayerState.Item? {
        guard let entry = playlist.entry(id), item.status == .readyToPlay else { return nil }
        let (formerItem, formerFacts) = (items[id], facts[id])
        let new = PlayerState.Item(entry, item: item, failure: nil)
        items[id] = new
        if let info = item.mediaInfo {
            facts.insert(MediaFacts(metadata: info.metadata, chapters: info.chapters), of: id)
            // The artwork is stored first, because an observer may request it as soon as it is notified.
            if let artwork = info.artwork { artworks.withLock { $0.insert(artwork, of: id) } }
        }
        isQueueStale = true
        // An item that was opened again, or whose duration has become exact, has the same metadata.
        let isNew = formerFacts == nil || formerFacts?.metadata != facts[id]?.metadata || formerItem?.hasArtwork != new.hasArtwork
        return isNew ? new : nil
    }

    /// The metadata and chapters of an entry's medium; nil before it was opened.
    func facts(of id: String) -> MediaFacts? { facts[id] }

    /// Returns the artwork of an entry, if it is cached. Any thread.
    nonisolated func artwork(of id: String) -> Artwork? { artworks.withLock { $0.artwork(of: id) } }

    /// Caches the artwork of an entry, if there is such an entry.
    func keep(_ artwork: Artwork, of id: String) {
        if playlist.entry(id) != nil { artworks.withLock { $0.insert(artwork, of: id) } }
    }

    // MARK: The queue

    /// The summary of the queue.
    var summary: QueueSummary {
        QueueSummary(revision: playlist.revision, count: playlist.entries.count, currentID: playlist.currentID, nextID: nextID)
    }

    /// Returns the summary if the queue has changed since the last call; otherwise nil.
    func takeChangedSummary() -> QueueSummary? {
        guard isQueueStale else { return nil }
        isQueueStale = false
        return summary
    }
}
