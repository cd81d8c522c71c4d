import AVFoundation
import PlaybackEngine

/// The queue of the playlist's entries, and the commands that change the queue.
extension PlaylistPlayer {
    public func queue(_ page: QueuePage) -> PlayerQueue {
        let indices = page.indices(count: playlist.entries.count, current: playlist.currentIndex(in: page.order), index: playlist.index)
        return PlayerQueue(
            summary: model.summary, entries: playlist.entries(indices, in: page.order).map(describe),
            history: playlist.history.suffix(page.limit ?? .max), offset: indices.lowerBound, edits: playlist.edits)
    }

    public var queueEdition: Int { model.shownEdition }

    // MARK: Edits

    /// Carries out an edit of the client whose command is performed, so that it can be undone.
    private func record<Result>(_ kind: QueueEdit.Kind, count: Int, _ body: (inout PlaylistMachine) -> Result) -> Result {
        let edit = QueueEdit(kind: kind, count: count, origin: publisher.origin)
        let playback = playback
        return model.edit { $0.record(edit, playback, body) }
    }

    /// The playback of the current entry; nil if no item is open.
    private var playback: EditHistory.Playback? {
        guard loader.current != nil else { return nil }
        // If the entry has ended, its start is recorded as the position, because the command `play` would start the entry again.
        let time = player.isAtEnd ? 0 : max(0, player.currentTime().seconds)
        return EditHistory.Playback(time: time.isFinite ? time : 0, isPlaying: player.requestedRate != 0)
    }

    /// Refuses start positions of new entries that are after the known end of the medium.
    private func checkStarts(_ specs: [EntrySpec], start: QueueStart? = nil) throws(PlayerRefusal) {
        if let (index, end) = model.startOutside(specs, start: start) { throw .startOutside(index: index, end: end) }
    }

    /// Refuses new entries with which the playlist would exceed its limits.
    ///
    /// - Parameters:
    ///   - count: The number of entries that the playlist keeps.
    ///   - textSize: The size of the text of these entries, in bytes.
    private func checkSize(_ specs: [EntrySpec], besides count: Int = 0, textSize: Int = 0) throws(PlayerRefusal) {
        guard count + specs.count <= PlaylistMachine.maximumCount else { throw .tooManyEntries(maximum: PlaylistMachine.maximumCount) }
        guard textSize + PlaylistMachine.textSize(of: specs) <= PlaylistMachine.maximumTextSize else {
            throw .queueTooLarge(maximum: PlaylistMachine.maximumTextSize)
        }
    }

    func setItem(_ spec: EntrySpec, play: Bool?, startTime: Double?) throws(PlayerRefusal) -> String {
        try checkStarts([spec], start: startTime.map { QueueStart(index: 0, time: $0) })
        var spec = spec
        spec.addedBy = publisher.origin
        let entries = replace([spec], keeping: [nil], play: play)
        startReplaced(startTime: startTime, play: play)
        guard let entry = entries.first else { preconditionFailure("a playlist that was replaced with one entry must have one entry") }
        return entry.id
    }

    func setQueue(_ specs: [EntrySpec], start: QueueStart?, play: Bool?) throws(PlayerRefusal) -> [String] {
        try checkStarts(specs, start: start)
        let kept = KeptEntries.indices(of: specs, in: playlist.entries, current: playlist.currentIndex)
        let specs = KeptEntries.completed(specs, keeping: kept, in: playlist, addedBy: publisher.origin)
        try checkSize(specs)
        let isCurrentKept = playlist.currentIndex.map { kept.contains($0) } ?? false
        let isCurrentOpen = playlist.currentID == loader.current?.id && loader.current?.item.status != .failed
        let playsOn = start == nil && isCurrentKept && isCurrentOpen
        let startsPlaying = play == true && player.requestedRate == 0
        if startsPlaying, playsOn { try checkPlayable(player.requestedDefaultRate) }
        let entries = replace(specs, keeping: kept, start: start?.index, keepsCurrent: playsOn, play: play)
        if playsOn {
            // The current entry was given again: it plays on, and only its followers change.
            loader.fill()
            if startsPlaying { try self.play(rate: nil) }
        } else {
            startReplaced(startTime: playlist.currentIndex == start?.index ? start?.time : nil, play: play)
        }
        return entries.map(\.id)
    }

    /// Replaces the entries of the playlist.
    ///
    /// - Parameters:
    ///   - kept: The index of the entry that each specification keeps; nil for a new entry.
    ///   - start: The index at which the search for the new current entry starts: the first entry without a known failure from there on becomes
    ///     current. Nil for the first such entry, or a random one if the playlist is shuffled.
    ///   - keepsCurrent: Whether a kept entry stays current.
    private func replace(
        _ specs: [EntrySpec], keeping kept: [Int?], start: Int? = nil, keepsCurrent: Bool = false, play: Bool?
    ) -> [PlaylistEntry] {
        let isPlayable = zip(specs, kept).map { spec, index in
            guard spec.id != nil, let known = index.map({ playlist.entries[$0] }) else { return spec.failure == nil }
            return known.spec.failure == nil && !model.hasFailed(known.id)
        }
        let playable = isPlayable.indices.filter { isPlayable[$0] }
        let former = playlist.entries.count
        // Playback pauses after the edit is recorded, and before the new entries can be heard.
        let entries = record(former == 0 ? .insert : .replace, count: former == 0 ? specs.count : former) { machine -> [PlaylistEntry] in
            if keepsCurrent { return machine.replace(with: specs, keeping: kept) }
            let first: Int?
            if let start { first = playable.first { $0 >= start } ?? start } else { first = machine.startIndex(among: playable) }
            return machine.replace(with: specs, keeping: kept, current: first ?? 0)
        }
        if play == false { player.pause() }
        for (entry, spec) in zip(entries, specs) where spec.id == nil && spec.failure == nil { model.forgetFailure(of: entry.id) }
        model.keepFailures(of: entries)
        lookForNotFound(entries)
        return entries
    }

    /// Loads the current entry after the playlist was replaced.
    ///
    /// - Parameter startTime: The start position in seconds of media time; nil means the entry's own start position.
    private func startReplaced(startTime: Double?, play: Bool?) {
        loader.forgetFailuresInRow()
        if let current = playlist.current { loader.load(current, startTime: startTime) } else { loader.unload() }
        if play == true { playFromPause() }
    }

    func insert(_ specs: [EntrySpec], at position: QueuePlace, play: Bool) throws(PlayerRefusal) -> [String] {
        guard position.anchor.map({ playlist.index(of: $0) != nil }) ?? true else { throw .noEntry }
        try checkStarts(specs)
        let specs = KeptEntries.completed(specs, keeping: specs.map { _ in nil }, in: playlist, addedBy: publisher.origin)
        try checkSize(specs, besides: playlist.entries.count, textSize: playlist.textSize)
        let hadCurrent = playlist.currentID != nil
        guard let entries = record(.insert, count: specs.count, { $0.insert(specs, at: position) }) else { throw .noEntry }
        model.keepFailures(of: entries)
        lookForNotFound(entries)
        let first = entries.first { !model.hasFailed($0.id) } ?? entries.first
        if let first, play || !hadCurrent {
            if first.id == playlist.currentID { loader.load(first) } else { loader.go(to: first) }
        } else {
            loader.fill()
        }
        if play, first != nil { playFromPause() }
        return entries.map(\.id)
    }

    /// Removes an entry. If the removed entry is current, the next entry becomes current, at the same requested rate.
    func remove(_ id: String) throws(PlayerRefusal) {
        guard playlist.index(of: id) != nil else { throw .noEntry }
        remove(Set([id]), as: .remove)
    }

    /// Removes entries. If one of them is current, the next entry becomes current, at the same requested rate.
    func remove(_ ids: [String]) throws(PlayerRefusal) {
        if let index = ids.firstIndex(where: { playlist.index(of: $0) == nil }) { throw .noEntryAt(index: index) }
        remove(Set(ids), as: .remove)
    }

    func removeUpcoming() { remove(Set(playlist.upcomingIDs), as: .clear) }

    private func remove(_ ids: Set<String>, as kind: QueueEdit.Kind) {
        let hasFailed = model.failedIDs
        let removesCurrent = playlist.currentID.map(ids.contains) ?? false
        _ = record(kind, count: ids.count) { $0.remove(ids, skipping: hasFailed.contains) }
        loadCurrent(if: removesCurrent)
    }

    /// Loads the current entry if it is another one than before (`isOther`); otherwise only updates the items that follow it.
    private func loadCurrent(if isOther: Bool, startTime: Double? = nil) {
        guard isOther else { return loader.fill() }
        if let current = playlist.current { loader.load(current, startTime: startTime) } else { loader.unload() }
    }

    func move(_ id: String, to index: Int) throws(PlayerRefusal) {
        guard record(.move, count: 1, { $0.move(id, to: index) }) else { throw .noEntry }
        loader.fill()
    }

    func move(_ ids: [String], to position: QueuePlace, in order: QueueOrder) throws(PlayerRefusal) {
        if let index = ids.firstIndex(where: { playlist.index(of: $0) == nil }) { throw .noEntryAt(index: index) }
        guard record(.move, count: ids.count, { $0.move(ids, to: position, in: order) }) else { throw .noEntry }
        loader.fill()
    }

    func clear() {
        record(.clear, count: playlist.entries.count) { $0.clear() }
        loader.unload()
    }

    /// Reverts the last edit, or repeats the edit that was reverted last. Playback is not interrupted if the current entry stays.
    func revert(_ direction: EditHistory.Direction) throws(PlayerRefusal) -> QueueEdit {
        let playback = playback
        guard let reverted = model.edit({ $0.revert(direction, playback) }) else {
            throw direction == .undo ? .nothingToUndo : .nothingToRedo
        }
        if reverted.playback?.isPlaying == false { player.pause() }
        loadCurrent(if: reverted.hasOtherCurrent, startTime: reverted.playback?.time)
        if reverted.playback?.isPlaying == true { playFromPause() }
        return reverted.edit
    }

    // MARK: The current entry

    /// Plays an entry from its own start position, otherwise from the remembered position of its medium, otherwise from the start.
    func playEntry(_ id: String) throws(PlayerRefusal) {
        guard let entry = playlist.entry(id) else { throw .noEntry }
        loader.go(to: entry)
        playFromPause()
    }

    /// Makes the next entry that has not failed current; if all following entries have failed, the next one. The requested rate is kept.
    func next() throws(PlayerRefusal) {
        guard let id = model.nextID, let entry = playlist.entry(id) else { throw .noNextEntry }
        loader.go(to: entry)
    }

    /// Makes the last entry of the history current, or the preceding entry if the history is empty. The command `previous` keeps the requested rate.
    func previous() throws(PlayerRefusal) {
        guard let entry = model.edit({ $0.previous() }) else { throw .noPreviousEntry }
        model.forgetFailure(of: entry.id)
        loader.load(entry)
    }
}
