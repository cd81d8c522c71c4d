/// What a remote calls the queue: entries that stay when they have been played, a current one, the order of playing, the way back. Pure.
public struct PlaylistMachine: Sendable {
    /// How many entries a playlist has at most.
    public static let maximumCount = 10_000
    /// How many bytes of text (URLs, titles) the entries of a playlist have at most: 1,600 each if there are 10,000.
    public static let maximumTextSize = 16 << 20

    /// What follows the last entry, or every one.
    public enum RepeatMode: String, Sendable, Hashable, CaseIterable { case off, one, all }

    /// In the order in which they are shown.
    public private(set) var entries: [PlaylistEntry] = [] {
        didSet { positions = Dictionary(uniqueKeysWithValues: entries.enumerated().map { ($1.id, $0) }) }
    }
    public private(set) var currentID: String?
    public private(set) var repeatMode = RepeatMode.off
    public private(set) var isShuffled = false
    /// Grows with every edit of the entries or their order; not when another becomes current.
    public private(set) var revision = 0

    /// Where each entry is in `entries`: ten thousand of them are looked up for each step of a walk.
    private var positions: [String: Int] = [:]
    /// Ids in the order of playing while shuffled, empty otherwise.
    private var shuffledOrder: [String] = [] {
        didSet { shuffledPositions = Dictionary(uniqueKeysWithValues: shuffledOrder.enumerated().map { ($1, $0) }) }
    }
    private var shuffledPositions: [String: Int] = [:]
    /// How many bytes of text the entries have.
    public private(set) var textSize = 0
    /// The entries that were current before, the latest last, for `previous`.
    public private(set) var history: [String] = []
    private var nextNumber = 1
    private var generator: SplitMix64

    /// - Parameter seed: of the shuffle.
    public init(seed: UInt64) { generator = SplitMix64(state: seed) }

    public var currentIndex: Int? { currentID.flatMap(index) }
    public var current: PlaylistEntry? { currentIndex.map { entries[$0] } }
    public func index(of id: String) -> Int? { positions[id] }
    public func entry(_ id: String) -> PlaylistEntry? { positions[id].map { entries[$0] } }

    /// How many bytes of text entries would have.
    static func textSize(of specs: [EntrySpec]) -> Int { specs.reduce(0) { $0 + $1.textSize } }

    // MARK: Edits

    private mutating func makeEntries(_ specs: [EntrySpec]) -> [PlaylistEntry] {
        specs.map { spec in
            defer { nextNumber += 1 }
            return PlaylistEntry(id: "e\(nextNumber)", spec: spec)
        }
    }

    /// Other entries in place of all; the first to be played becomes current.
    @discardableResult public mutating func replace(with specs: [EntrySpec]) -> [PlaylistEntry] {
        entries = makeEntries(specs)
        textSize = Self.textSize(of: specs)
        history = []
        revision += 1
        currentID = entries.first?.id
        reshuffle()
        return entries
    }

    /// Adds entries behind the entry `id`, or at the end; nil where there is no such entry. Into an empty playlist: the first becomes current.
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
            // Somebody said what it is to follow.
            order.insert(contentsOf: new.map(\.id), at: at + 1)
        } else {
            // Somewhere among what has not been played yet.
            let earliest = currentID.flatMap { shuffledPositions[$0] }.map { $0 + 1 } ?? 0
            for entry in new where shuffledPositions[entry.id] == nil {
                order.insert(entry.id, at: Int.random(in: min(earliest, order.count)...order.count, using: &generator))
            }
        }
        shuffledOrder = order
        return new
    }

    /// Takes an entry out. Where it was current, the one that would have followed becomes current, or none; those that `isSkipped` names are passed over.
    /// False where there is no such entry.
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

    /// Moves an entry to an index of the list as it is afterwards; an index beyond the ends is the end. False where there is no such entry.
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

    // MARK: Order of playing

    public mutating func setRepeatMode(_ mode: RepeatMode) { repeatMode = mode }

    /// Shuffles everything behind the current entry, which stays, or goes back to the shown order.
    /// - Parameter seed: the same entries with the same seed have the same order; shuffles anew where it is shuffled already.
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

    /// The entry after `id` in the order of playing; the first one after the last where `repeating`.
    private func following(_ id: String, repeating: Bool) -> String? {
        guard let at = isShuffled ? shuffledPositions[id] : positions[id] else { return nil }
        return idInOrder(at + 1 < entries.count ? at + 1 : repeating ? 0 : -1)
    }

    /// The id at a place in the order of playing; nil outside.
    private func idInOrder(_ place: Int) -> String? {
        guard entries.indices.contains(place) else { return nil }
        return isShuffled ? shuffledOrder[place] : entries[place].id
    }

    /// The first entry after `id` that is not passed over; nil where the order ends before, or comes round to `id`.
    private func follower(of id: String, repeating: Bool, skipping isSkipped: (String) -> Bool) -> String? {
        var candidate = following(id, repeating: repeating)
        for _ in entries.indices {
            guard let found = candidate, isSkipped(found) else { return candidate }
            candidate = following(found, repeating: repeating)
        }
        return nil
    }

    /// The entries that follow the current one by themselves, at most `count`; the same one again and again where that is repeated. Those that `isSkipped`
    /// names are passed over.
    public func upcoming(_ count: Int, skipping isSkipped: (String) -> Bool = { _ in false }) -> [PlaylistEntry] {
        var result: [PlaylistEntry] = []
        var id = currentID
        while result.count < count, let from = id {
            id = repeatMode == .one ? (isSkipped(from) ? nil : from) : follower(of: from, repeating: repeatMode == .all, skipping: isSkipped)
            if let next = id.flatMap(entry) { result.append(next) }
        }
        return result
    }

    // MARK: Going

    /// Another entry is current: it followed, or was chosen. False where there is no such entry.
    @discardableResult public mutating func go(to id: String) -> Bool {
        guard index(of: id) != nil else { return false }
        if let former = currentID, former != id {
            history.append(former)
            if history.count > 1_000 { history.removeFirst() }
        }
        currentID = id
        return true
    }

    /// Where `next` leads: to the entry that follows, also where one is repeated, past those that `isSkipped` names, or to the very next where it names all.
    /// Where none is current: to the first. nil at the end.
    public func nextID(skipping isSkipped: (String) -> Bool = { _ in false }) -> String? {
        guard let currentID else { return idInOrder(0) }
        let repeating = repeatMode == .all
        return follower(of: currentID, repeating: repeating, skipping: isSkipped) ?? following(currentID, repeating: repeating)
    }

    /// Goes to the next entry; nil at the end.
    public mutating func next() -> PlaylistEntry? {
        guard let id = nextID(), go(to: id) else { return nil }
        return current
    }

    /// Goes to the entry that was current before, or to the one before in the order; nil where there is neither.
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
