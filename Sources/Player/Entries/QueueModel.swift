import AVFoundation
import CoreMedia
import Platform
import PlaybackEngine
import Synchronization

/// The entries of a playlist, with the failure, item, facts (metadata and chapters) and artwork of each entry. The data of a removed entry stay until
/// the commands `undo` and `redo` can no longer restore the entry.
@MainActor final class QueueModel {
    private(set) var playlist: PlaylistMachine
    /// A number that grows with each call that may have changed the playlist.
    private(set) var edition = 0
    /// A number that grows with each change of what remotes see of the queue.
    private(set) var shownEdition = 0

    /// The failures of entries that could not be played. Entries that could not be played are skipped until a client requests them.
    private var failures: [String: PlayerState.Failure] = [:]
    /// The description of the last item of each entry that was opened, by the entry's id. It stays after the item itself (`AVPlayerItem`) was closed.
    private var items: [String: PlayerState.Item] = [:]
    /// The exact ends of the media of these items, in seconds.
    private var ends: [String: Double] = [:]
    /// The facts about media, limited because a medium may have a megabyte of tags, and a queue a hundred thousand entries.
    private var facts = RecentlyUsed<String, MediaFacts>(maximumCost: 16 << 20)
    private nonisolated let artworks = Mutex(ArtworkCache())
    /// The change of the entries since the queue was published last, and the revisions that were published.
    private(set) var unpublished = QueueChange()
    private var published = (revision: 0, playbackRevision: 0)
    /// Whether the queue may differ from the queue that was published last.
    private var isStale = false
    /// The ids of the entries whose known properties have changed since the queue was published last.
    private var updated: Set<String> = []
    private let saver: StateSaver?
    /// The id of the entry that the command `next` makes current; the inner nil means that no entry follows. The outer nil means that the id has not
    /// been computed since the last change.
    private var knownNextID: String??

    /// Makes a `QueueModel` without entries.
    /// - Parameter seed: The seed of the shuffle.
    init(seed: UInt64, saver: StateSaver? = nil) {
        playlist = PlaylistMachine(seed: seed)
        self.saver = saver
    }

    /// Makes a `QueueModel` with the entries of a playlist that an earlier run of the program has saved.
    init(restoring kept: SavedPlaylist, saver: StateSaver?) {
        playlist = PlaylistMachine(restoring: kept)
        self.saver = saver
        published = (playlist.revision, playlist.playbackRevision)
        keepFailures(of: playlist.entries)
    }

    // MARK: Entries

    /// Changes the playlist, and discards the data of removed entries that no command can restore.
    func edit<Result>(_ body: (inout PlaylistMachine) -> Result) -> Result {
        let (revision, current) = (playlist.revision, playlist.currentID)
        let result = body(&playlist)
        edition += 1
        if current != playlist.currentID { markStale() }
        guard revision != playlist.revision else { return result }
        markStale()
        let change = playlist.takeChange()
        unpublished += change
        saver?.note(change)
        let restorable = playlist.editHistory.removedIDs
        let isGone = { [playlist] (id: String) in playlist.index(of: id) == nil && !restorable.contains(id) }
        artworks.withLock { $0.remove(where: isGone) }
        failures = failures.filter { !isGone($0.key) }
        items = items.filter { !isGone($0.key) }
        ends = ends.filter { !isGone($0.key) }
        facts.remove(where: isGone)
        return result
    }

    /// Makes an entry current (`PlaylistMachine.go`). Entries that have failed are skipped.
    func go(to id: String, past passed: [String] = []) {
        edit { [failures] in _ = $0.go(to: id, past: passed, skipping: { failures[$0] != nil }) }
    }

    /// Records that the known properties of an entry have changed, so that the next update of the queue describes it.
    func noteChanged(_ id: String) {
        updated.insert(id)
        markStale()
    }

    /// Changes the playback order of the entries, and possibly the next entry.
    func editOrder(_ body: (inout PlaylistMachine) -> Void) {
        edit(body)
        markStale()
    }

    /// The id of the entry that the command `next` makes current; nil if no entry follows.
    var nextID: String? {
        if let knownNextID { return knownNextID }
        let id = playlist.nextID(skipping: hasFailed)
        knownNextID = .some(id)
        return id
    }

    /// Returns the next entries, at most `count`, that will play after the current entry without a command. Entries that have failed are omitted.
    func following(_ count: Int) -> [PlaylistEntry] { playlist.upcoming(count, skipping: hasFailed) }

    private func markStale() {
        isStale = true
        shownEdition += 1
        knownNextID = nil
    }

    // MARK: Failures

    /// The ids of the entries that could not be played.
    var failedIDs: Set<String> { Set(failures.keys) }

    /// Whether the entry could not be played.
    func hasFailed(_ id: String) -> Bool { failures[id] != nil }

    /// Stores the reason why an entry cannot be played; nil removes the stored reason.
    func fail(_ id: String, with failure: PlayerState.Failure?) {
        failures[id] = failure
        noteChanged(id)
    }

    /// Stores the failure of each entry whose specification contains a failure.
    func keepFailures(of entries: [PlaylistEntry]) {
        for entry in entries { if let failure = entry.spec.failure { fail(entry.id, with: failure) } }
    }

    /// Removes the failure of an entry that a client requests, so that the entry is opened again.
    func forgetFailure(of id: String) { if hasFailed(id) { fail(id, with: nil) } }

    // MARK: Items

    /// Returns the first new entry whose start position is more than `PlaylistPlayer.overshoot` after the known end of its medium, as the entry's
    /// index and that end in seconds; nil if there is none. A start less far beyond the end means the end, as for a seek (J-2). The end is known if
    /// the playlist has an entry of the same medium that has been opened, or if `undo` can restore such an entry.
    ///
    /// - Parameter start: The entry at which playback starts, and its position; nil if the client has named no start. If this position is after the
    ///   known end, the returned index is nil.
    func startOutside(_ specs: [EntrySpec], start: QueueStart?) -> (index: Int?, end: Double)? {
        guard start?.time != nil || specs.contains(where: { $0.startTime != nil }) else { return nil }
        var known: [OuterText: Double] = [:]
        for (id, end) in ends { if let item = items[id] { known[OuterText(item.url)] = end } }
        for (index, spec) in specs.enumerated() {
            guard spec.startTime != nil || start?.index == index, let end = known[OuterText(spec.url)] else { continue }
            let latest = end + PlaylistPlayer.overshoot
            if start?.index == index, let time = start?.time, time > latest { return (nil, end) }
            if let time = spec.startTime, time > latest { return (index, end) }
        }
        return nil
    }

    /// Returns the description of an entry's item for remotes; nil if the playlist has no entry `id`.
    ///
    /// - Parameter item: The entry's item in the queue player; nil if the queue player has no item of the entry.
    func item(of id: String, open item: AVPlayerItem?) -> PlayerState.Item? {
        playlist.entry(id).map { PlayerState.Item($0, item: item, failure: failures[id]) }
    }

    /// Returns the description of an entry's item for remotes. If the entry has no item now, or an item that still loads, this is the description of
    /// the last item that this entry had open. If the entry has failed or was never open, only the data of the entry itself are described.
    ///
    /// - Parameter item: The entry's item in the queue player; nil if the queue player has no item of the entry.
    func describe(_ entry: PlaylistEntry, open item: AVPlayerItem?) -> PlayerState.Item {
        if let item, item.status != .unknown {
            return PlayerState.Item(entry, item: item, failure: failures[entry.id])
        }
        guard failures[entry.id] == nil, var known = items[entry.id] else { return PlayerState.Item(entry, item: nil, failure: failures[entry.id]) }
        // A client may have changed the title and the start position of the entry after its item was described.
        if let title = entry.spec.title { known.title = title }
        known.startTime = entry.spec.startTime
        return known
    }

    /// Stores the properties and metadata of an entry's item. Returns the description of the item if its metadata or its artwork are
    /// new; otherwise nil.
    func learn(of id: String, from item: AVPlayerItem) -> PlayerState.Item? {
        guard let entry = playlist.entry(id), item.status == .readyToPlay else { return nil }
        let (formerItem, formerFacts) = (items[id], facts[id])
        let new = PlayerState.Item(entry, item: item, failure: nil)
        items[id] = PlayerState.Item(entry, item: item, failure: nil, withHeardTitle: false)
        ends[id] = item.isDurationExact && item.duration.isNumeric ? item.duration.seconds : nil
        if let info = item.mediaInfo {
            let facts = MediaFacts(metadata: info.metadata, chapters: info.chapters)
            self.facts.insert(facts, for: id, cost: facts.byteCount)
            // The artwork is stored before the observers are notified of the metadata, because an observer may request the artwork immediately.
            if let artwork = info.artwork { artworks.withLock { $0.insert(artwork, of: id) } }
        }
        noteChanged(id)
        // If an item was opened again, or if only its duration has become exact, its metadata are the same as before. So the description is returned
        // only if the metadata or the artwork have changed.
        let isNew = formerFacts == nil || formerFacts?.metadata != facts[id]?.metadata || formerItem?.hasArtwork != new.hasArtwork
        return isNew ? new : nil
    }

    /// The metadata and chapters of an entry's medium; nil before the medium was opened, and after the cache has removed them.
    func facts(of id: String) -> MediaFacts? { facts[id] }

    /// Returns the cached artwork of an entry; nil if no artwork of the entry is cached. Any thread may call `artwork`.
    nonisolated func artwork(of id: String) -> Artwork? { artworks.withLock { $0.artwork(of: id) } }

    /// Returns the cached picture that an entry has from a URL of a feed; nil if no such picture is cached.
    func picture(at url: String) -> Artwork? {
        for (id, item) in items where item.picture.map({ OuterText($0) }) == OuterText(url) {
            if let known = artwork(of: id) { return known }
        }
        return nil
    }

    /// Caches the artwork of an entry if the playlist has an entry `id`.
    func keep(_ artwork: Artwork, of id: String) {
        if playlist.entry(id) != nil { artworks.withLock { $0.insert(artwork, of: id) } }
    }

    // MARK: The queue

    var summary: QueueSummary {
        QueueSummary(revision: playlist.revision, count: playlist.entries.count, currentID: playlist.currentID, nextID: nextID)
    }

    /// Returns the change of the queue since the last call of `takeUpdate`; nil if nothing has changed.
    ///
    /// - Parameter describe: Returns the description of an entry for remotes.
    func takeUpdate(_ describe: (PlaylistEntry) -> PlayerState.Item) -> QueueUpdate? {
        guard isStale else { return nil }
        var (changes, count) = changes(describing: false, describe)
        let isShort = count <= QueueUpdate.maximumEntryCount
        if isShort { changes = self.changes(describing: true, describe).changes }
        let update = QueueUpdate(
            summary: summary, previousRevision: published.revision, changes: isShort || QueueUpdate.areReadable(changes) ? changes : nil,
            isPlaybackOrderChanged: playlist.playbackRevision != published.playbackRevision, edits: playlist.edits)
        (isStale, updated, unpublished) = (false, [], QueueChange())
        published = (playlist.revision, playlist.playbackRevision)
        return update
    }

    /// Returns the changes since the last update, and the number of entries that they describe if `describing` is true.
    private func changes(
        describing: Bool, _ describe: (PlaylistEntry) -> PlayerState.Item
    ) -> (changes: [QueueUpdate.Change], count: Int) {
        var changes: [QueueUpdate.Change] = []
        var new: Set<String> = []
        var removal: (index: Int, ids: [String])?
        for step in unpublished.steps {
            let (index, count, ids) = (step.index, step.entries.count, step.entries.map(\.id))
            guard step.isInsertion else {
                changes.append(.remove(index: index, count: count))
                removal = (index, ids)
                continue
            }
            // Entries that are removed and inserted again were moved, or have another title or start position.
            let former = removal?.ids == ids ? removal?.index : nil
            removal = nil
            if former != nil { changes.removeLast() }
            if let former, former != index {
                changes.append(.move(index: former, count: count, to: index))
                continue
            }
            let items = describing ? step.entries.map(describe) : nil
            changes.append(former == nil ? .insert(index: index, count: count, entries: items) : .update(index: index, count: count, entries: items))
            new.formUnion(ids)
        }
        let others = updated.subtracting(new).compactMap(playlist.index)
        for run in RangeSet(others.map { $0..<($0 + 1) }).ranges {
            changes.append(.update(index: run.lowerBound, count: run.count, entries: describing ? playlist.entries[run].map(describe) : nil))
        }
        return (changes, new.count + others.count)
    }
}

extension MediaFacts {
    /// The approximate size of the facts in memory, in bytes.
    fileprivate var byteCount: Int {
        metadata.reduce(0) { $0 + 64 + $1.key.utf8.count + $1.value.utf8.count } + chapters.reduce(0) { $0 + 64 + $1.title.utf8.count }
    }
}
