import AVFoundation
import PlaybackEngine
import Synchronization

/// The playlist, for remotes and for the program.
extension PlaylistPlayer {
    public var queue: PlayerQueue {
        PlayerQueue(summary: queueSummary, entries: playlist.entries.map(describe), history: playlist.history)
    }

    var queueSummary: QueueSummary {
        QueueSummary(
            revision: playlist.revision, count: playlist.entries.count, currentID: playlist.currentID, nextID: playlist.nextID(skipping: hasFailed))
    }

    /// What is known of an entry: of its item where it has one that is open, else what was known last.
    func describe(_ entry: PlaylistEntry) -> PlayerState.Item {
        if let item = queued.first(where: { $0.entryID == entry.id })?.item, item.status != .unknown || entry.id == playlist.currentID {
            return PlayerState.Item(entry, item: item, failure: failures[entry.id])
        }
        guard failures[entry.id] == nil, let known = known[entry.id] else { return PlayerState.Item(entry, item: nil, failure: failures[entry.id]) }
        return known
    }

    /// More is known of an entry than before; it stays known when its item is closed.
    func learn(of queued: Queued) {
        guard let entry = playlist.entry(queued.entryID), queued.item.status == .readyToPlay else { return }
        let (formerItem, formerFacts) = (known[entry.id], facts[entry.id])
        let item = PlayerState.Item(entry, item: queued.item, failure: nil)
        known[entry.id] = item
        if let info = queued.item.mediaInfo {
            facts.insert(MediaFacts(metadata: info.metadata, chapters: info.chapters), of: entry.id)
            // Who is told of the picture may ask for it at once.
            if let artwork = info.artwork { artworks.withLock { $0.insert(artwork, of: entry.id) } }
        }
        isQueueStale = true
        // Opened once more, or with a better value of its duration, it says the same of itself.
        guard formerFacts == nil || formerFacts?.metadata != facts[entry.id]?.metadata || formerItem?.hasArtwork != item.hasArtwork else { return }
        notify(.metadataDidChange(item))
    }

    /// Tells that the playlist is another one, in its turn.
    func tellQueue() {
        guard isQueueStale else { return }
        isQueueStale = false
        notify(.queueDidChange(queueSummary))
    }

    func hasFailed(_ id: String) -> Bool { failures[id] != nil }

    // MARK: Edits

    func setQueue(_ specs: [EntrySpec], play: Bool?) throws(PlayerRefusal) -> [String] {
        guard specs.count <= PlaylistMachine.maximumCount else { throw .tooManyEntries(maximum: PlaylistMachine.maximumCount) }
        guard PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
        // Nothing of the new entries is to be heard where they are not to play.
        if play == false { player.pause() }
        let entries = edit { $0.replace(with: specs) }
        noteFailures(of: entries)
        if let first = entries.first(where: { !hasFailed($0.id) }) ?? entries.first {
            if first.id != playlist.currentID { edit { _ = $0.go(to: first.id) } }
            load(first)
        } else {
            unload()
        }
        if play == true { playFromPause() }
        return entries.map(\.id)
    }

    func insert(_ specs: [EntrySpec], after id: String?, play: Bool) throws(PlayerRefusal) -> [String] {
        guard id.map({ playlist.index(of: $0) != nil }) ?? true else { throw .noEntry }
        guard playlist.entries.count + specs.count <= PlaylistMachine.maximumCount else {
            throw .tooManyEntries(maximum: PlaylistMachine.maximumCount)
        }
        guard playlist.textSize + PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
        let hadCurrent = playlist.currentID != nil
        guard let entries = edit({ $0.insert(specs, after: id) }) else { throw .noEntry }
        noteFailures(of: entries)
        let first = entries.first { !hasFailed($0.id) } ?? entries.first
        if let first, play || !hadCurrent {
            if first.id == playlist.currentID { load(first) } else { go(to: first) }
        } else {
            feed()
        }
        if play, first != nil { playFromPause() }
        return entries.map(\.id)
    }

    /// Adds entries behind the entry `after`, or at the end; returns their ids. Into an empty playlist the first becomes current. Refused with
    /// `noEntry` where there is no entry `after`.
    @discardableResult public func append(_ specs: [EntrySpec], after id: String? = nil, origin: String) throws(PlayerRefusal) -> [String] {
        try acting(for: origin, .playlistChanged) { () throws(PlayerRefusal) in try insert(specs, after: id, play: false) }
    }

    /// Takes an entry out; where it is current, the next one plays. Refused with `noEntry` where there is no such entry.
    public func remove(_ id: String, origin: String) throws(PlayerRefusal) {
        try acting(for: origin, .playlistChanged) { () throws(PlayerRefusal) in
            let wasCurrent = playlist.currentID == id
            let failures = failures
            guard edit({ $0.remove(id, skipping: { failures[$0] != nil }) }) else { throw .noEntry }
            guard wasCurrent else { return feed() }
            if let next = playlist.current { load(next) } else { unload() }
        }
    }

    /// Moves an entry. Refused with `noEntry` where there is no such entry.
    public func move(_ id: String, to index: Int, origin: String) throws(PlayerRefusal) {
        try acting(for: origin, .playlistChanged) { () throws(PlayerRefusal) in
            guard edit({ $0.move(id, to: index) }) else { throw .noEntry }
            feed()
        }
    }

    private func noteFailures(of entries: [PlaylistEntry]) {
        for entry in entries { if let failure = entry.spec.failure { failures[entry.id] = failure } }
    }

    // MARK: Going

    /// Makes an entry current, from its start; the requested rate stays, unless it is to `play`. Refused with `noEntry` where there is no such entry.
    public func jump(to id: String, play: Bool = false, origin: String) throws(PlayerRefusal) {
        try acting(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let entry = playlist.entry(id) else { throw .noEntry }
            go(to: entry)
            if play { playFromPause() }
        }
    }

    /// Goes to the next entry, past those that failed. Refused with `noNextEntry` at the end.
    public func next(origin: String) throws(PlayerRefusal) {
        try acting(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let id = playlist.nextID(skipping: hasFailed), let entry = playlist.entry(id) else { throw .noNextEntry }
            go(to: entry)
        }
    }

    /// Goes to the entry before. Refused with `noPreviousEntry` where there is none.
    public func previous(origin: String) throws(PlayerRefusal) {
        try acting(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let entry = edit({ $0.previous() }) else { throw .noPreviousEntry }
            forgetFailure(of: entry.id)
            load(entry)
        }
    }

    /// Makes an entry current: by the queue player's own step where it is the one that follows, so that what is open already is used.
    func go(to entry: PlaylistEntry) {
        forgetFailure(of: entry.id)
        if isNextQueued(entry) {
            player.advanceToNextItem()
        } else {
            edit { _ = $0.go(to: entry.id) }
            load(entry)
        }
    }
}
