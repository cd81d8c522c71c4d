import PlaybackEngine

/// What media say of themselves, of the entries that were opened last: a queue may have ten thousand entries, and each a megabyte of tags.
struct FactsCache {
    /// Bytes that are kept, though always the facts that came last.
    static let capacity = 16 << 20

    private var facts: [String: (facts: MediaFacts, size: Int)] = [:]
    /// The entries, those first that were opened first.
    private var order: [String] = []
    private(set) var byteCount = 0

    /// What the medium of an entry says, if it is kept.
    subscript(id: String) -> MediaFacts? { facts[id]?.facts }

    /// Keeps what the medium of an entry says, and forgets those that were opened first if it becomes too much.
    mutating func insert(_ new: MediaFacts, of id: String) {
        if let old = facts[id] {
            byteCount -= old.size
            order.removeAll { $0 == id }
        }
        facts[id] = (new, new.byteCount)
        order.append(id)
        byteCount += new.byteCount
        while byteCount > Self.capacity, order.count > 1 {
            byteCount -= facts.removeValue(forKey: order.removeFirst())?.size ?? 0
        }
    }

    /// Forgets the entries that are gone.
    mutating func remove(where isGone: (String) -> Bool) {
        order.removeAll(where: isGone)
        facts = facts.filter { !isGone($0.key) }
        byteCount = facts.values.reduce(0) { $0 + $1.size }
    }
}

extension MediaFacts {
    /// What the texts and their places take, bytes.
    var byteCount: Int {
        metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + MemoryLayout.size(ofValue: $1) }
            + chapters.reduce(0) { $0 + $1.title.utf8.count + MemoryLayout.size(ofValue: $1) }
    }
}
