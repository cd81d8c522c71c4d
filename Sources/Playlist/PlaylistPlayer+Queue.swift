import AVFoundation
import PlaybackEngine

/// The playlist, for remotes and for the program.
extension PlaylistPlayer {
    public var queue: PlayerQueue {
        PlayerQueue(
            summary: book.summary, entries: playlist.entries.map { book.describe($0, open: feeder.item(of: $0.id)) }, history: playlist.history)
    }

    // MARK: Edits

    func setQueue(_ specs: [EntrySpec], play: Bool?) throws(PlayerRefusal) -> [String] {
        guard specs.count <= PlaylistMachine.maximumCount else { throw .tooManyEntries(maximum: PlaylistMachine.maximumCount) }
        guard PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
        // Nothing of the new entries is to be heard where they are not to play.
        if play == false { player.pause() }
        let entries = book.edit { $0.replace(with: specs) }
        book.keepFailures(of: entries)
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

    /// Adds entries behind the entry `after`, or at the end; returns their ids. Into an empty playlist the first becomes current. Refused with
    /// `noEntry` where there is no entry `after`.
    @discardableResult public func append(_ specs: [EntrySpec], after id: String? = nil, origin: String) throws(PlayerRefusal) -> [String] {
        try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in try insert(specs, after: id, play: false) }
    }

    /// Takes an entry out; where it is current, the next one plays. Refused with `noEntry` where there is no such entry.
    public func remove(_ id: String, origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in
            let wasCurrent = playlist.currentID == id
            guard book.remove(id) else { throw .noEntry }
            guard wasCurrent else { return feeder.feed() }
            if let next = playlist.current { feeder.load(next) } else { feeder.unload() }
        }
    }

    /// Moves an entry. Refused with `noEntry` where there is no such entry.
    public func move(_ id: String, to index: Int, origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .playlistChanged) { () throws(PlayerRefusal) in
            guard book.edit({ $0.move(id, to: index) }) else { throw .noEntry }
            feeder.feed()
        }
    }

    // MARK: Going

    /// Makes an entry current, from its start; the requested rate stays, unless it is to `play`. Refused with `noEntry` where there is no such entry.
    public func jump(to id: String, play: Bool = false, origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let entry = playlist.entry(id) else { throw .noEntry }
            feeder.go(to: entry)
            if play { playFromPause() }
        }
    }

    /// Goes to the next entry, past those that failed. Refused with `noNextEntry` at the end.
    public func next(origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let id = book.nextID, let entry = playlist.entry(id) else { throw .noNextEntry }
            feeder.go(to: entry)
        }
    }

    /// Goes to the entry before. Refused with `noPreviousEntry` where there is none.
    public func previous(origin: String) throws(PlayerRefusal) {
        try publisher.act(for: origin, .itemChanged) { () throws(PlayerRefusal) in
            guard let entry = book.edit({ $0.previous() }) else { throw .noPreviousEntry }
            book.forgetFailure(of: entry.id)
            feeder.load(entry)
        }
    }
}
