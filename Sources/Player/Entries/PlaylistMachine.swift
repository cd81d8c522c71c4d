import Platform

/// The playlist as a pure value: its entries, the current entry, the playback order, and the history for the command `previous`. Played entries stay
/// in it, unless `isConsuming` is true.
public struct PlaylistMachine: Sendable {
    /// The maximum number of entries in the playlist.
    public static let maximumCount = 100_000
    /// The limit of the text (URLs, titles) of all entries, in bytes. The limit allows about 670 bytes of text for each of 100,000 entries.
    public static let maximumTextSize = 64 << 20
    /// The largest number of entries in the history.
    static let maximumHistory = 1_000

    /// The repeat mode of the playlist: repeat nothing (`off`), the current entry (`one`), or all entries (`all`).
    public enum RepeatMode: String, Sendable, Hashable, CaseIterable { case off, one, all }

    /// The entries in the order in which clients show them.
    public private(set) var entries: [PlaylistEntry] = [] {
        didSet { positions = EntryIndex(entries.lazy.map(\.id)) }
    }
    public private(set) var currentID: String?
    public private(set) var repeatMode = RepeatMode.off
    public private(set) var isShuffled = false
    /// Whether an entry that was current is removed from the playlist after another entry became current, except by the command `previous`.
    public private(set) var isConsuming = false
    /// The revision of the playlist: a number that grows with each change of the entries or their order, but not with a change of the current entry.
    public private(set) var revision = 0
    /// A number that grows with each change of the shuffled playback order.
    private(set) var playbackRevision = 0

    /// The index of each entry in `entries`, by the entry's id. A linear search would be slow with many entries.
    private var positions = EntryIndex()
    /// The ids of all entries in playback order if the playlist is shuffled; otherwise empty.
    private(set) var shuffledOrder = EntryOrder() {
        didSet { playbackRevision += 1 }
    }
    /// The number of shuffles so far.
    private var shuffleNumber = 0
    /// The size of the text of all entries, in bytes.
    public private(set) var textSize = 0
    /// The ids of the entries that were current earlier, the latest last. The command `previous` returns to the entries of the history.
    public private(set) var history: [String] = []
    private(set) var editHistory = EditHistory()
    /// The changes of the entries since the last call of `takeChange`.
    private var change = QueueChange()
    private var nextNumber = 1
    private(set) var generator: SplitMix64

    /// Makes an empty playlist.
    /// - Parameter seed: The seed of the shuffle.
    public init(seed: UInt64) { generator = SplitMix64(state: seed) }

    /// Makes the playlist that an earlier run of the program has saved. Saved ids that belong to no saved entry are ignored.
    init(restoring kept: SavedPlaylist) {
        let kept = kept.consistent
        generator = SplitMix64(state: kept.generator)
        entries = kept.entries
        textSize = Self.textSize(of: entries.map(\.spec))
        (currentID, history) = (kept.currentID, kept.history)
        (repeatMode, isShuffled, shuffledOrder) = (kept.repeatMode, kept.isShuffled, EntryOrder(kept.shuffledOrder))
        isConsuming = kept.isConsuming
        (revision, nextNumber) = (kept.revision, kept.nextNumber)
        // A property observer does not run in an initialiser, so `positions` is set here.
        positions = EntryIndex(entries.lazy.map(\.id))
    }

    /// The part of the playlist that is saved for the next run of the program.
    var saved: SavedPlaylist {
        var saved = SavedPlaylist()
        (saved.entries, saved.currentID, saved.history) = (entries, currentID, history)
        (saved.repeatMode, saved.isShuffled, saved.shuffledOrder) = (repeatMode, isShuffled, shuffledOrder.ids)
        saved.isConsuming = isConsuming
        (saved.revision, saved.nextNumber, saved.generator) = (revision, nextNumber, generator.state)
        return saved
    }

    public var currentIndex: Int? { currentID.flatMap(index) }
    public var current: PlaylistEntry? { currentIndex.map { entries[$0] } }
    public func index(of id: String) -> Int? { positions[id] }
    public func entry(_ id: String) -> PlaylistEntry? { positions[id].map { entries[$0] } }

    /// Returns the size of the text of entries, in bytes.
    static func textSize(of specs: [EntrySpec]) -> Int { specs.reduce(0) { $0 + $1.textSize } }

    // MARK: Edits

    /// Returns the changes of the entries since the last call, joined.
    mutating func takeChange() -> QueueChange {
        defer { change = QueueChange() }
        return change
    }

    private mutating func apply(_ new: QueueChange) {
        guard !new.steps.isEmpty else { return }
        entries.apply(new)
        for step in new.steps { textSize += (step.isInsertion ? 1 : -1) * step.entries.reduce(0) { $0 + $1.spec.textSize } }
        change += new
    }

    private mutating func makeEntry(_ spec: EntrySpec) -> PlaylistEntry {
        defer { nextNumber += 1 }
        var spec = spec
        spec.id = nil
        return PlaylistEntry(id: PlaylistEntry.id(ofNumber: nextNumber), spec: spec)
    }

    /// Replaces all entries. The new entry at the index `current` becomes current.
    @discardableResult public mutating func replace(with specs: [EntrySpec], current: Int = 0) -> [PlaylistEntry] {
        replace(with: specs, keeping: specs.map { _ in nil }, current: current)
    }

    /// Replaces all entries. Entries that are given again are kept, with their ids. With an index `current`, the entry at this index becomes current.
    /// Without an index, a current entry that is kept stays current, and the history and the playback order of the kept entries stay too; otherwise
    /// the first entry becomes current.
    /// - Parameter kept: The index of the entry that each specification keeps; nil for a new entry (`KeptEntries`).
    mutating func replace(with specs: [EntrySpec], keeping kept: [Int?], current: Int? = nil) -> [PlaylistEntry] {
        var keptIDs: Set<String> = []
        let new = zip(specs, kept).map { spec, index in
            guard let index else { return makeEntry(spec) }
            keptIDs.insert(entries[index].id)
            return KeptEntries.renewed(entries[index], by: spec)
        }
        let staysCurrent = current == nil && currentID.map(keptIDs.contains) ?? false
        apply(.replacing(entries, by: new))
        revision += 1
        guard staysCurrent else {
            history = []
            let index = current ?? 0
            currentID = new.indices.contains(index) ? new[index].id : new.first?.id
            reshuffle()
            return new
        }
        history.removeAll { !keptIDs.contains($0) }
        completeShuffledOrder()
        return new
    }

    /// Returns the index among `indices` at which a new list starts if the client names none: the first, or a random one if the playlist is shuffled.
    mutating func startIndex(among indices: [Int]) -> Int? {
        isShuffled ? indices.randomElement(using: &generator) : indices.first
    }

    /// Inserts entries at a position. If no entry is current, the first new entry becomes current. Returns the new entries; nil if the position names
    /// an entry that the playlist does not have.
    @discardableResult public mutating func insert(_ specs: [EntrySpec], at position: QueuePlace = .end) -> [PlaylistEntry]? {
        if let anchor = position.anchor, index(of: anchor) == nil { return nil }
        guard !specs.isEmpty else { return [] }
        let new = specs.map { makeEntry($0) }
        let ids = new.map(\.id)
        let earliest = currentID.flatMap(shuffledOrder.index).map { $0 + 1 } ?? 0
        if isShuffled {
            switch position {
            // If the client has named the neighbour of the new entries, they have the same neighbour in the playback order.
            case .next: shuffledOrder.insert(ids, at: earliest)
            case .before(let id): shuffledOrder.insert(ids, at: shuffledOrder.index(of: id) ?? earliest)
            case .after(let id): shuffledOrder.insert(ids, at: shuffledOrder.index(of: id).map { $0 + 1 } ?? earliest)
            // If the client has named no entry, the new entries get random indices after the current entry in the playback order.
            case .end, .index:
                var order = shuffledOrder
                order.scatter(ids, from: earliest, using: &generator)
                shuffledOrder = order
            }
        }
        let target: Int =
            switch position {
            case .end: entries.count
            case .next: currentIndex.map { $0 + 1 } ?? 0
            case .before(let id): index(of: id) ?? entries.count
            case .after(let id): index(of: id).map { $0 + 1 } ?? entries.count
            case .index(let index): min(max(0, index), entries.count)
            }
        var change = QueueChange()
        change.insert(new, at: target)
        apply(change)
        revision += 1
        if currentID == nil { currentID = new.first?.id }
        return new
    }

    /// Replaces the entry `id`, whose medium is a playlist, by the media of the playlist. The first medium keeps the id `id`. The others follow it in
    /// both orders, also in the orders that `undo` restores. Returns the entries; nil if the playlist has no entry `id`, or `specs` is empty.
    ///
    /// - Parameter current: The index of the specification that becomes current if the entry was current.
    mutating func expand(_ id: String, into specs: [EntrySpec], current: Int) -> [PlaylistEntry]? {
        guard let index = index(of: id), let first = specs.first else { return nil }
        let all = [PlaylistEntry(id: id, spec: first)] + specs.dropFirst().map { makeEntry($0) }
        if isShuffled, let at = shuffledOrder.index(of: id) { shuffledOrder.insert(all.dropFirst().map(\.id), at: at + 1) }
        var change = QueueChange()
        change.remove(entries[index...index], at: index)
        change.insert(all, at: index)
        apply(change)
        editHistory.replace(id, at: index, by: all)
        revision += 1
        if currentID == id, all.indices.contains(current) { currentID = all[current].id }
        return all
    }

    /// Removes an entry, see `remove(_:skipping:)`. Returns false if the playlist has no entry `id`.
    @discardableResult public mutating func remove(_ id: String, skipping isSkipped: (String) -> Bool = { _ in false }) -> Bool {
        remove([id], skipping: isSkipped)
    }

    /// Removes entries. If one of them was current, the next entry for which `isSkipped` is false becomes current; if no such entry
    /// follows, no entry is current. Returns false, and removes nothing, if the playlist does not have all of the entries.
    @discardableResult public mutating func remove(_ ids: Set<String>, skipping isSkipped: (String) -> Bool = { _ in false }) -> Bool {
        guard ids.allSatisfy({ index(of: $0) != nil }) else { return false }
        guard !ids.isEmpty else { return true }
        var newCurrent = currentID
        if let current = currentID, ids.contains(current) {
            newCurrent = follower(of: current, skipping: { ids.contains($0) || isSkipped($0) })
        }
        apply(.removing(ids, from: entries))
        if isShuffled { shuffledOrder.remove(ids) }
        history.removeAll(where: ids.contains)
        revision += 1
        currentID = newCurrent
        return true
    }

    /// Moves an entry to an index of the resulting list. An index before the start or beyond the end of the playlist means its start or end. Returns
    /// false if the playlist has no entry `id`.
    @discardableResult public mutating func move(_ id: String, to index: Int) -> Bool { move([id], to: .index(index)) }

    /// Moves distinct entries to a position, in their given order. The position `next` applies to both orders. Every other position changes one
    /// order: the display order, or, if `order` is `playback` and the playlist is shuffled, the playback order. Returns false, and moves nothing, if
    /// the playlist does not have all of the entries.
    @discardableResult public mutating func move(_ ids: [String], to position: QueuePlace, in order: QueueOrder = .display) -> Bool {
        let named = ids + (position.anchor.map { [$0] } ?? [])
        guard named.allSatisfy({ index(of: $0) != nil }), Set(ids).count == ids.count else { return false }
        var hasChanged = false
        if isShuffled, order == .playback || position == .next {
            let new = shuffledOrder.moving(ids, to: position, current: currentID)
            if new != shuffledOrder.ids {
                shuffledOrder = EntryOrder(new)
                hasChanged = true
            }
        }
        if !isShuffled || order == .display || position == .next {
            let new = EntryOrder(entries.map(\.id)).moving(ids, to: position, current: currentID)
            let change = QueueChange.moving(ids, in: entries, to: EntryOrder(new))
            hasChanged = hasChanged || !change.steps.isEmpty
            apply(change)
        }
        if hasChanged { revision += 1 }
        return true
    }

    public mutating func clear() { remove(Set(entries.map(\.id))) }

    // MARK: Undoing

    /// The edits that can be undone or repeated.
    public var edits: RevertibleEdits { editHistory.edits }

    /// Carries out one edit of a client, `body`, so that it can be undone. An edit that changes nothing is not recorded. Every edit of a client must
    /// be recorded, because the records of the earlier edits apply to the entries that it leaves.
    ///
    /// - Parameter playback: The playback of the current entry, which `undo` restores if the edit removes that entry.
    @discardableResult mutating func record<Result>(_ edit: QueueEdit, _ playback: EditHistory.Playback?, _ body: (inout Self) -> Result) -> Result {
        let (result, record) = recording(edit, playback, body)
        let hasEffect = !record.change.steps.isEmpty || currentID != record.currentID || shuffledOrder.ids != record.shuffledOrder
        if hasEffect { editHistory.push(record) }
        return result
    }

    private mutating func recording<Result>(
        _ edit: QueueEdit, _ playback: EditHistory.Playback?, _ body: (inout Self) -> Result
    ) -> (Result, EditHistory.Record) {
        let earlier = takeChange()
        var record = EditHistory.Record(
            edit: edit, shuffledOrder: shuffledOrder.ids, shuffleNumber: shuffleNumber, currentID: currentID, history: history, playback: playback)
        let result = body(&self)
        (record.change, record.nextCurrentID) = (change, currentID)
        change = earlier
        change += record.change
        return (result, record)
    }

    /// The result of `revert`.
    struct Reverted {
        var edit: QueueEdit
        /// Whether another entry, or none, is current after the revert.
        var hasOtherCurrent: Bool
        /// The playback of the new current entry at the time of the edit; nil if the current entry is unchanged or its playback is not known.
        var playback: EditHistory.Playback?
    }

    /// Undoes the last edit, or repeats the edit that was undone last. Returns nil if there is none. Entries that were played and removed in the
    /// meantime (`isConsuming`) stay removed. The entry that was current before the edit becomes current again if the edit had removed it, if the
    /// edit had made another entry current that is still current, or if the present current entry is removed.
    ///
    /// - Parameter playback: The playback of the current entry, which is restored if this step is reverted in turn.
    mutating func revert(_ direction: EditHistory.Direction, _ playback: EditHistory.Playback?) -> Reverted? {
        guard let record = editHistory.take(direction) else { return nil }
        let former = currentID
        let (_, reverse) = recording(record.edit, playback) { playlist in
            let inverse = record.change.inverse
            let restored = Set(inverse.versions.inserted.keys.filter { playlist.index(of: $0) == nil })
            let followers = playlist.upcomingIDs
            playlist.apply(inverse)
            playlist.revision += 1
            playlist.restoreCurrent(of: record, restored: restored, followers: followers)
            if playlist.isShuffled, record.shuffleNumber == playlist.shuffleNumber {
                playlist.shuffledOrder = EntryOrder(record.shuffledOrder)
            } else {
                playlist.completeShuffledOrder()
            }
        }
        editHistory.pushReverse(reverse, of: direction)
        let hasOtherCurrent = currentID != former
        return Reverted(
            edit: record.edit, hasOtherCurrent: hasOtherCurrent,
            playback: hasOtherCurrent && currentID == record.currentID ? record.playback : nil)
    }

    /// Makes the entry current that was current before an edit, if `revert` requires that, and restores the history.
    ///
    /// - Parameters:
    ///   - restored: The ids of the entries that the edit had removed.
    ///   - followers: The ids of the entries that followed the current entry in the playback order.
    private mutating func restoreCurrent(of record: EditHistory.Record, restored: Set<String>, followers: [String]) {
        let isPresent = { [positions] (id: String) in positions[id] != nil }
        let former = record.currentID.flatMap { isPresent($0) ? $0 : nil }
        let goesBack = former.map { restored.contains($0) || ($0 != record.nextCurrentID && currentID == record.nextCurrentID) } ?? false
        if goesBack || !(currentID.map(isPresent) ?? true) {
            // If the entry that was current was played and removed in the meantime, the entry after the present one becomes current.
            currentID = former ?? record.currentID.flatMap { _ in followers.first(where: isPresent) }
            history = record.history.filter(isPresent)
        } else {
            // The history before the edit returns, with the entries added since. If `previous` has shortened the history since, it does not return.
            let remaining = record.history.filter { !restored.contains($0) }
            let isContinued = history.starts(with: remaining)
            let whole = isContinued ? record.history + history.dropFirst(remaining.count) : history
            history = whole.filter(isPresent).suffix(Self.maximumHistory)
        }
    }

    // MARK: Playback order

    /// Sets whether an entry that was current is removed (`isConsuming`). The call itself removes no entry, and `undo` does not revert it.
    public mutating func setConsuming(_ consuming: Bool) { isConsuming = consuming }

    public mutating func setRepeatMode(_ mode: RepeatMode) { repeatMode = mode }

    /// Shuffles the playback order, with the current entry first, or restores the order of `entries`.
    /// - Parameter seed: The seed of the shuffle; nil continues the sequence of random numbers. The same entries and the same seed give the same
    ///   playback order. With a seed, a playlist that is already shuffled is shuffled again.
    public mutating func setShuffled(_ shuffled: Bool, seed: UInt64? = nil) {
        guard shuffled != isShuffled || (shuffled && seed != nil) else { return }
        if let seed { generator = SplitMix64(state: seed) }
        isShuffled = shuffled
        shuffleNumber += 1
        reshuffle()
    }

    private mutating func reshuffle() {
        guard isShuffled else { return shuffledOrder = EntryOrder() }
        var rest = entries.map(\.id).filter { $0 != currentID }
        rest.shuffle(using: &generator)
        shuffledOrder = EntryOrder((currentID.map { [$0] } ?? []) + rest)
    }

    /// Removes the ids of removed entries from the shuffled order. Each new entry gets a random index after the current entry; a current entry that
    /// is new gets the first index.
    private mutating func completeShuffledOrder() {
        guard isShuffled else { return reshuffle() }
        var order = EntryOrder(shuffledOrder.ids.filter { index(of: $0) != nil })
        if let currentID, order.index(of: currentID) == nil { order.insert([currentID], at: 0) }
        let earliest = currentID.flatMap(order.index).map { $0 + 1 } ?? 0
        order.scatter(entries.map(\.id).filter { order.index(of: $0) == nil }, from: earliest, using: &generator)
        shuffledOrder = order
    }

    // MARK: The current entry

    /// Makes an entry current, and adds the former current entry to the history; if `isConsuming` is true, removes the former entry instead. Returns
    /// false if the playlist has no entry `id`. If the playback order leads to the entry over its end, the next round begins.
    ///
    /// - Parameter passed: The ids of the entries between the current one and the entry `id` that playback has passed without making them current.
    @discardableResult public mutating func go(
        to id: String, past passed: [String] = [], skipping isSkipped: (String) -> Bool = { _ in false }
    ) -> Bool {
        guard index(of: id) != nil else { return false }
        let former = currentID
        if let round = roundReached(by: passed + [id], skipping: isSkipped) {
            (shuffledOrder, generator) = (EntryOrder(round.ids), round.generator)
            shuffleNumber += 1
        }
        currentID = id
        guard let former, former != id else { return true }
        if isConsuming {
            if let index = index(of: former) { editHistory.replace(former, at: index, by: []) }
            return remove([former])
        }
        history.append(former)
        if history.count > Self.maximumHistory { history.removeFirst() }
        return true
    }

    /// Makes the next entry in the playback order current, and returns the entry. Returns nil at the end of the playback order.
    public mutating func next() -> PlaylistEntry? {
        guard let id = nextID(), go(to: id) else { return nil }
        return current
    }

    /// Makes the last entry of the history current, and removes the entry from the history. If the history is empty, makes the preceding entry in the
    /// playback order current. Returns the new current entry; nil if no entry precedes.
    public mutating func previous() -> PlaylistEntry? {
        if let id = history.popLast() {
            currentID = id
            return current
        }
        guard let at = currentIndex(in: .playback) else { return nil }
        guard let target = idInOrder(at > 0 ? at - 1 : repeatMode == .all ? entries.count - 1 : -1) else { return nil }
        currentID = target
        return current
    }
}
