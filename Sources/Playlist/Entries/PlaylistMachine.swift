/// The queue of a remote: entries, which stay after they were played, the current entry, the playback order, and the history for `previous`. A pure
/// value.
public struct PlaylistMachine: Sendable {
    /// The limit of entries.
    public static let maximumCount = 10_000
    /// The limit of the text (URLs, titles) of all entries, in bytes. This is 1,600 for each of 10,000 entries.
    public static let maximumTextSize = 16 << 20

    /// The repetition: none, of the current entry, or of all entries.
    public enum RepeatMode: String, Sendable, Hashable, CaseIterable { case off, one, all }

    /// The entries in the order in which clients show them.
    public private(set) var entries: [PlaylistEntry] = [] {
        didSet { positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) }) }
    }
    public private(set) var currentID: String?
    public private(set) var repeatMode = RepeatMode.off
    public private(set) var isShuffled = false
    /// A number that grows with each change of the entries or their order, but not with a change of the current entry.
    public private(set) var revision = 0

    /// The index of each entry in `entries`, by its id. A linear search would be slow with ten thousand entries.
    private var positions: [String: Int] = [:]
    /// The ids in playback order if the playlist is shuffled; otherwise empty.
    private var shuffledOrder: [String] = [] {
        didSet { shuffledPositions = Dictionary(uniqueKeysWithValues: shuffledOrder.enumerated().map { ($1, $0) }) }
    }
    private var shuffledPositions: [String: Int] = [:]
    /// The size of the text of all entries, in bytes.
    public private(set) var textSize = 0
    /// The ids of the entries that were current before, the latest last, for `previous`.
    public private(set) var history: [String] = []
    private var nextNumber = 1
    private var generator: SplitMix64

    /// An empty playlist.
    /// - Parameter seed: The seed of the shuffle.
    public init(seed: UInt64) { generator = SplitMix64(state: seed) }

    public var currentIndex: Int? { currentID.flatMap(index) }
    public var current: PlaylistEntry? { currentIndex.map { entries[$0] } }
    public func index(of id: String) -> Int? { positions[id] }
    public func entry(_ id: String) -> PlaylistEntry? { positions[id].map { entries[$0] } }

    /// Returns the size of the text of entries, in bytes.
    static func textSize(of specs: [EntrySpec]) -> Int { specs.reduce(0) { $0 + $1.textSize } }

    // MARK: Edits

    private mutating func makeEntries(_ specs: [EntrySpec]) -> [PlaylistEntry] {
        specs.map { spec in
            defer { nextNumber += 1 }
            return PlaylistEntry(id: "e\(nextNumber)", spec: spec)
        }
    }

    /// Replaces all entries. The first one becomes current.
    @discardableResult public mutating func replace(with specs: [EntrySpec]) -> [PlaylistEntry] {
        entries = makeEntries(specs)
        textSize = Self.textSize(of: specs)
        history = []
        revision += 1
        currentID = entries.first?.id
        reshuffle()
        return entries
    }

    /// Inserts entries after the entry `id`, or at the end. If no entry is current, the first new one becomes current. Returns nil if there is no
    /// entry `id`.
    @discardableResult public mutating func insert(_ specs: [EntrySpec], after id: String? = nil) -> [PlaylistEntry]? {
        var position = entries.count
        if let id {
            guard let index = index(of: id) else { return nil }
            position = index + 1
        }
        guard !specs.isEmpty else { return [] }
        let new = makeEntries(specs)
        entries.insert(contentsOf: new, at: position)
        textSize += Self.textSize(of: specs)
        revision += 1
        if currentID == nil { currentID = new.first?.id }
        guard isShuffled else { return new }
        var order = shuffledOrder
        if let id, let at = shuffledPositions[id] {
            // The client named the entry that the new ones follow.
            order.insert(contentsOf: new.map(\.id), at: at + 1)
        } else {
            // The new entries get random indices after the current entry.
            let earliest = currentID.flatMap { shuffledPositions[$0] }.map { $0 + 1 } ?? 0
            for entry in new where shuffledPositions[entry.id] == nil {
                order.insert(entry.id, at: Int.random(in: min(earliest, order.count)...order.count, using: &generator))
            }
        }
        shuffledOrder = order
        return new
    }

    /// Removes an entry. If it was current, the next entry for which `isSkipped` is false becomes current, or none. Returns false if there is no such
    /// entry.
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

    /// Moves an entry to an index of the resulting list. An index beyond an end means that end. Returns false if there is no such entry.
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

    /// Shuffles the entries, with the current one first, or restores the shown order.
    /// - Parameter seed: The seed. The same entries with the same seed get the same order. If the playlist is already shuffled, a seed shuffles it
    ///   again.
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

    /// Returns the entry after `id` in the playback order. If `repeating`, the first one follows the last one.
    private func following(_ id: String, repeating: Bool) -> String? {
        guard let at = isShuffled ? shuffledPositions[id] : positions[id] else { return nil }
        return idInOrder(at + 1 < entries.count ? at + 1 : repeating ? 0 : -1)
    }

    /// Returns the id at an index of the playback order; nil if the index is out of range.
    private func idInOrder(_ index: Int) -> String? {
        guard entries.indices.contains(index) else { return nil }
        return isShuffled ? shuffledOrder[index] : entries[index].id
    }

    /// Returns the first entry after `id` that is not skipped; nil if the order ends first, or if all entries are skipped.
    private func follower(of id: String, repeating: Bool, skipping isSkipped: (String) -> Bool) -> String? {
        var candidate = following(id, repeating: repeating)
        for _ in entries.indices {
            guard let found = candidate, isSkipped(found) else { return candidate }
            candidate = following(found, repeating: repeating)
        }
        return nil
    }

    /// Returns the entries that follow the current one automatically, at most `count`. With the repeat mode `one` this is the current entry, several
    /// times. Entries for which `isSkipped` is true are omitted.
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

    /// Makes an entry current, and adds the former one to the history. Returns false if there is no such entry.
    @discardableResult public mutating func go(to id: String) -> Bool {
        guard index(of: id) != nil else { return false }
        if let former = currentID, former != id {
            history.append(former)
            if history.count > 1_000 { history.removeFirst() }
        }
        currentID = id
        return true
    }

    /// Returns the entry that `next` makes current; nil at the end. The repeat mode `one` has no effect on it. Entries for which `isSkipped` is true
    /// are skipped, unless all are. If no entry is current, returns the first one.
    public func nextID(skipping isSkipped: (String) -> Bool = { _ in false }) -> String? {
        guard let currentID else { return idInOrder(0) }
        let repeating = repeatMode == .all
        return follower(of: currentID, repeating: repeating, skipping: isSkipped) ?? following(currentID, repeating: repeating)
    }

    /// Makes the next entry current and returns it; nil at the end.
    public mutating func next() -> PlaylistEntry? {
        guard let id = nextID(), go(to: id) else { return nil }
        return current
    }

    /// Makes the last entry of the history current, or the preceding entry in the playback order. Returns nil if there is neither.
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
