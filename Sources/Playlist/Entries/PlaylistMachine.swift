/// The playlist as a pure value: its entries, the current entry, the playback order, and the history for the command `previous`. Played entries stay
/// in the playlist.
public struct PlaylistMachine: Sendable {
    /// The maximum number of entries in the playlist.
    public static let maximumCount = 10_000
    /// The limit of the text (URLs, titles) of all entries, in bytes. The limit allows about 1,600 bytes of text for each of 10,000 entries.
    public static let maximumTextSize = 16 << 20
    /// The largest number of entries in the history.
    static let maximumHistory = 1_000

    /// The repeat mode of the playlist: repeat nothing (`off`), the current entry (`one`), or all entries (`all`).
    public enum RepeatMode: String, Sendable, Hashable, CaseIterable { case off, one, all }

    /// The entries in the order in which clients show them.
    public private(set) var entries: [PlaylistEntry] = [] {
        didSet { positions = Self.indices(of: entries.map(\.id)) }
    }
    public private(set) var currentID: String?
    public private(set) var repeatMode = RepeatMode.off
    public private(set) var isShuffled = false
    /// The revision of the playlist: a number that grows with each change of the entries or their order, but not with a change of the current entry.
    public private(set) var revision = 0

    /// The index of each entry in `entries`, by the entry's id. A linear search would be slow with ten thousand entries.
    private var positions: [String: Int] = [:]
    /// The ids of all entries in playback order if the playlist is shuffled; otherwise empty.
    private var shuffledOrder: [String] = [] {
        didSet { shuffledPositions = Self.indices(of: shuffledOrder) }
    }
    private var shuffledPositions: [String: Int] = [:]
    /// The size of the text of all entries, in bytes.
    public private(set) var textSize = 0
    /// The ids of the entries that were current earlier, the latest last. The command `previous` returns to the entries of the history.
    public private(set) var history: [String] = []
    private var nextNumber = 1
    private var generator: SplitMix64

    /// Makes an empty playlist.
    /// - Parameter seed: The seed of the shuffle.
    public init(seed: UInt64) { generator = SplitMix64(state: seed) }

    /// A playlist that was kept. What does not agree with its entries is ignored.
    init(restoring kept: SavedPlaylist) {
        let kept = kept.consistent
        generator = SplitMix64(state: kept.generator)
        entries = kept.entries
        textSize = Self.textSize(of: entries.map(\.spec))
        (currentID, history) = (kept.currentID, kept.history)
        (repeatMode, isShuffled, shuffledOrder) = (kept.repeatMode, kept.isShuffled, kept.shuffledOrder)
        (revision, nextNumber) = (kept.revision, kept.nextNumber)
        // A property observer does not run in an initialiser.
        positions = Self.indices(of: entries.map(\.id))
        shuffledPositions = Self.indices(of: shuffledOrder)
    }

    private static func indices(of ids: [String]) -> [String: Int] { Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) }) }

    /// All of the playlist that is kept.
    var saved: SavedPlaylist {
        var saved = SavedPlaylist()
        (saved.entries, saved.currentID, saved.history) = (entries, currentID, history)
        (saved.repeatMode, saved.isShuffled, saved.shuffledOrder) = (repeatMode, isShuffled, shuffledOrder)
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

    private mutating func makeEntry(_ spec: EntrySpec) -> PlaylistEntry {
        defer { nextNumber += 1 }
        var spec = spec
        spec.id = nil
        return PlaylistEntry(id: PlaylistEntry.id(ofNumber: nextNumber), spec: spec)
    }

    /// Replaces all entries. The first new entry of the playlist becomes current.
    @discardableResult public mutating func replace(with specs: [EntrySpec]) -> [PlaylistEntry] {
        replace(with: specs, keeping: specs.map { _ in nil })
    }

    /// Replaces all entries, and keeps those that are given again, with their ids. If the current entry is kept, it stays current, and the history
    /// and the playback order of the kept entries stay too. Otherwise the first entry becomes current.
    /// - Parameter kept: The index of the entry that each specification keeps; nil for a new entry (`KeptEntries`).
    mutating func replace(with specs: [EntrySpec], keeping kept: [Int?]) -> [PlaylistEntry] {
        var keptIDs: Set<String> = []
        let new = zip(specs, kept).map { spec, index in
            guard let index else { return makeEntry(spec) }
            keptIDs.insert(entries[index].id)
            return KeptEntries.renewed(entries[index], by: spec)
        }
        let isCurrentKept = currentID.map(keptIDs.contains) ?? false
        entries = new
        textSize = Self.textSize(of: new.map(\.spec))
        revision += 1
        guard isCurrentKept else {
            history = []
            currentID = new.first?.id
            reshuffle()
            return new
        }
        history.removeAll { !keptIDs.contains($0) }
        if isShuffled { shuffle(new.filter { !keptIDs.contains($0.id) }, into: shuffledOrder.filter(keptIDs.contains)) }
        return new
    }

    /// Inserts entries after the entry `id`, or at the end if `id` is nil. If no entry is current, the first new entry becomes current. Returns the
    /// new entries; nil if the playlist has no entry `id`.
    @discardableResult public mutating func insert(_ specs: [EntrySpec], after id: String? = nil) -> [PlaylistEntry]? {
        var position = entries.count
        if let id {
            guard let index = index(of: id) else { return nil }
            position = index + 1
        }
        guard !specs.isEmpty else { return [] }
        let new = specs.map { makeEntry($0) }
        entries.insert(contentsOf: new, at: position)
        textSize += Self.textSize(of: specs)
        revision += 1
        if currentID == nil { currentID = new.first?.id }
        guard isShuffled else { return new }
        if let id, let at = shuffledPositions[id] {
            // If the client has named the entry that the new entries follow, they follow it in the playback order too.
            shuffledOrder.insert(contentsOf: new.map(\.id), at: at + 1)
        } else {
            shuffle(new, into: shuffledOrder)
        }
        return new
    }

    /// Replaces the playback order by `kept` with new entries at random indices after the current entry.
    private mutating func shuffle(_ new: [PlaylistEntry], into kept: [String]) {
        var order = kept
        let earliest = (order.firstIndex { $0 == currentID } ?? -1) + 1
        for entry in new { order.insert(entry.id, at: Int.random(in: earliest...order.count, using: &generator)) }
        shuffledOrder = order
    }

    /// Removes an entry. If the entry was current, the next entry for which `isSkipped` is false becomes current; if no such entry follows, no entry
    /// is current. Returns false if the playlist has no entry `id`.
    @discardableResult public mutating func remove(_ id: String, skipping isSkipped: (String) -> Bool = { _ in false }) -> Bool {
        guard let index = index(of: id) else { return false }
        let follower = id == currentID ? follower(of: id, repeating: false, skipping: isSkipped) : currentID
        textSize -= entries.remove(at: index).spec.textSize
        shuffledOrder.removeAll { $0 == id }
        history.removeAll { $0 == id }
        revision += 1
        currentID = follower
        return true
    }

    /// Moves an entry to an index of the resulting list. An index before the start or beyond the end of the playlist means its start or end. Returns
    /// false if the playlist has no entry `id`.
    @discardableResult public mutating func move(_ id: String, to index: Int) -> Bool {
        guard let from = self.index(of: id) else { return false }
        let entry = entries.remove(at: from)
        let target = min(max(0, index), entries.count)
        entries.insert(entry, at: target)
        if target != from { revision += 1 }
        return true
    }

    public mutating func clear() {
        guard !entries.isEmpty else { return }
        entries = []
        textSize = 0
        shuffledOrder = []
        history = []
        currentID = nil
        revision += 1
    }

    // MARK: Playback order

    public mutating func setRepeatMode(_ mode: RepeatMode) { repeatMode = mode }

    /// Shuffles the playback order, with the current entry first, or restores the order of `entries`.
    /// - Parameter seed: The seed of the shuffle; nil takes the next random numbers. The same entries and the same seed give the same playback order.
    ///   With a seed, a playlist that is already shuffled is shuffled again.
    public mutating func setShuffled(_ shuffled: Bool, seed: UInt64? = nil) {
        guard shuffled != isShuffled || (shuffled && seed != nil) else { return }
        if let seed { generator = SplitMix64(state: seed) }
        isShuffled = shuffled
        reshuffle()
    }

    private mutating func reshuffle() {
        shuffledOrder = []
        guard isShuffled else { return }
        var rest = entries.map(\.id).filter { $0 != currentID }
        rest.shuffle(using: &generator)
        shuffledOrder = (currentID.map { [$0] } ?? []) + rest
    }

    /// Returns the id of the entry after the entry `id` in the playback order; nil at the end of the playback order. If `repeating` is true, the
    /// first entry follows the last entry.
    private func following(_ id: String, repeating: Bool) -> String? {
        guard let at = isShuffled ? shuffledPositions[id] : positions[id] else { return nil }
        return idInOrder(at + 1 < entries.count ? at + 1 : repeating ? 0 : -1)
    }

    /// Returns the id of the entry at an index of the playback order; nil if the index is out of range.
    private func idInOrder(_ index: Int) -> String? {
        guard entries.indices.contains(index) else { return nil }
        return isShuffled ? shuffledOrder[index] : entries[index].id
    }

    /// Returns the id of the first entry after `id` in the playback order for which `isSkipped` is false; nil if no such entry follows.
    private func follower(of id: String, repeating: Bool, skipping isSkipped: (String) -> Bool) -> String? {
        var candidate = following(id, repeating: repeating)
        for _ in entries.indices {
            guard let found = candidate, isSkipped(found) else { return candidate }
            candidate = following(found, repeating: repeating)
        }
        return nil
    }

    /// Returns at most `count` entries that follow the current entry automatically. In the repeat mode `one`, the returned array contains the current
    /// entry `count` times. Entries for which `isSkipped` is true are omitted.
    public func upcoming(_ count: Int, skipping isSkipped: (String) -> Bool = { _ in false }) -> [PlaylistEntry] {
        var result: [PlaylistEntry] = []
        var id = currentID
        while result.count < count, let from = id {
            id = repeatMode == .one ? (isSkipped(from) ? nil : from) : follower(of: from, repeating: repeatMode == .all, skipping: isSkipped)
            if let next = id.flatMap(entry) { result.append(next) }
        }
        return result
    }

    // MARK: The current entry

    /// Makes an entry current, and adds the former current entry to the history. Returns false if the playlist has no entry `id`.
    @discardableResult public mutating func go(to id: String) -> Bool {
        guard index(of: id) != nil else { return false }
        if let former = currentID, former != id {
            history.append(former)
            if history.count > Self.maximumHistory { history.removeFirst() }
        }
        currentID = id
        return true
    }

    /// Returns the id of the entry that the command `next` makes current; nil at the end of the playback order. The repeat mode `one` has no effect
    /// on the command `next`. Entries for which `isSkipped` is true are skipped, unless `isSkipped` is true for all following entries. If no entry is
    /// current, returns the id of the first entry.
    public func nextID(skipping isSkipped: (String) -> Bool = { _ in false }) -> String? {
        guard let currentID else { return idInOrder(0) }
        let repeating = repeatMode == .all
        return follower(of: currentID, repeating: repeating, skipping: isSkipped) ?? following(currentID, repeating: repeating)
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
        guard let id = currentID, let at = isShuffled ? shuffledPositions[id] : positions[id] else { return nil }
        guard let target = idInOrder(at > 0 ? at - 1 : repeatMode == .all ? entries.count - 1 : -1) else { return nil }
        currentID = target
        return current
    }
}
