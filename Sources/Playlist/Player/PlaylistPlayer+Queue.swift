import AVFoundation
import PlaybackEngine

/// The queue of the playlist's entries, and the commands that change the queue.
extension PlaylistPlayer {
    public var queue: PlayerQueue {
        PlayerQueue(
            summary: book.summary, entries: playlist.entries.map { book.describe($0, open: feeder.item(of: $0.id)) }, history: playlist.history)
    }

    // MARK: Edits

    func setItem(_ spec: EntrySpec, play: Bool?, startTime: Double?) -> String {
        // Playback pauses before the entry is replaced, so that the new entry is not heard.
        if play == false { player.pause() }
        let entries = book.edit { $0.replace(with: [spec]) }
        book.keepFailures(of: entries)
        guard let entry = entries.first else { preconditionFailure("a playlist that was replaced with one entry must have one entry") }
        feeder.load(entry, startTime: startTime)
        if play == true { playFromPause() }
        return entry.id
    }

    func setQueue(_ specs: [EntrySpec], play: Bool?) throws(PlayerRefusal) -> [String] {
        guard specs.count <= PlaylistMachine.maximumCount else { throw .tooManyEntries(maximum: PlaylistMachine.maximumCount) }
        let kept = KeptEntries.indices(of: specs, in: playlist.entries, current: playlist.currentIndex)
        let specs = KeptEntries.completed(specs, keeping: kept, in: playlist)
        guard PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
        let former = playlist.currentID
        let startsPlaying = play == true && player.requestedRate == 0
        if startsPlaying, let index = playlist.currentIndex, kept.contains(index) { try checkPlayable(player.requestedDefaultRate) }
        // Playback pauses first, so that the new entries are not heard.
        if play == false { player.pause() }
        let entries = book.edit { $0.replace(with: specs, keeping: kept) }
        for (entry, spec) in zip(entries, specs) where spec.id == nil && spec.failure == nil { book.forgetFailure(of: entry.id) }
        book.keepFailures(of: entries)
        if let former, former == playlist.currentID, former == feeder.current?.id, feeder.current?.item.status != .failed {
            // The current entry was given again: it plays on, and only its followers change.
            feeder.feed()
            if startsPlaying { try self.play(rate: nil) }
            return entries.map(\.id)
        }
        if let first = entries.first(where: { !book.hasFailed($0.id) }) ?? entries.first {
            if first.id != playlist.currentID { book.edit { _ = $0.go(to: first.id) } }
            feeder.load(first)
        } else {
            feeder.unload()
        }
        if play == true { playFromPause() }
        return entries.map(\.id)
    }

    func insert(_ specs: [EntrySpec], after id: String?, play: Bool) throws(PlayerRefusal) -> [String] {
        guard id.map({ playlist.index(of: $0) != nil }) ?? true else { throw .noEntry }
        guard playlist.entries.count + specs.count <= PlaylistMachine.maximumCount else {
            throw .tooManyEntries(maximum: PlaylistMachine.maximumCount)
        }
        let specs = KeptEntries.completed(specs, keeping: specs.map { _ in nil }, in: playlist)
        guard playlist.textSize + PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
        let hadCurrent = playlist.currentID != nil
        guard let entries = book.edit({ $0.insert(specs, after: id) }) else { throw .noEntry }
        book.keepFailures(of: entries)
        let first = entries.first { !book.hasFailed($0.id) } ?? entries.first
        if let first, play || !hadCurrent {
            if first.id == playlist.currentID { feeder.load(first) } else { feeder.go(to: first) }
        } else {
            feeder.feed()
        }
        if play, first != nil { playFromPause() }
        return entries.map(\.id)
    }

    /// Removes an entry. If the removed entry is current, the next entry becomes current, at the same requested rate.
    func remove(_ id: String) throws(PlayerRefusal) {
        let wasCurrent = playlist.currentID == id
        guard book.remove(id) else { throw .noEntry }
        guard wasCurrent else { return feeder.feed() }
        if let next = playlist.current { feeder.load(next) } else { feeder.unload() }
    }

    func move(_ id: String, to index: Int) throws(PlayerRefusal) {
        guard book.edit({ $0.move(id, to: index) }) else { throw .noEntry }
        feeder.feed()
    }

    func clear() {
        book.edit { $0.clear() }
        feeder.unload()
    }

    // MARK: The current entry

    /// Plays an entry from its start.
    func playEntry(_ id: String) throws(PlayerRefusal) {
        guard let entry = playlist.entry(id) else { throw .noEntry }
        feeder.go(to: entry)
        playFromPause()
    }

    /// Makes the next entry that has not failed current. The command `next` keeps the requested rate.
    func next() throws(PlayerRefusal) {
        guard let id = book.nextID, let entry = playlist.entry(id) else { throw .noNextEntry }
        feeder.go(to: entry)
    }

    /// Makes the last entry of the history current, or the preceding entry if the history is empty. The command `previous` keeps the requested rate.
    func previous() throws(PlayerRefusal) {
        guard let entry = book.edit({ $0.previous() }) else { throw .noPreviousEntry }
        book.forgetFailure(of: entry.id)
        feeder.load(entry)
    }
}
