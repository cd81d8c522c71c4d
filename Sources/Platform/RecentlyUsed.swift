/// A cache of the values that were used or inserted last, with a maximum number and a maximum total cost. The newest value stays, whatever its cost.
package struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let cost: Int
        /// The number of the entry's last use; all uses of the cache are numbered in order.
        var use: Int
    }

    private let maximumCount: Int
    private let maximumCost: Int
    private var entries: [Key: Entry] = [:]
    private var uses = 0
    package private(set) var cost = 0

    package init(maximumCount: Int = .max, maximumCost: Int = .max) { (self.maximumCount, self.maximumCost) = (maximumCount, maximumCost) }

    package var count: Int { entries.count }

    /// The value of a key; reading it counts as a use.
    package subscript(key: Key) -> Value? {
        mutating get {
            uses += 1
            entries[key]?.use = uses
            return entries[key]?.value
        }
    }

    package func key(where isWanted: (Value) -> Bool) -> Key? { entries.first { isWanted($0.value.value) }?.key }

    /// Inserts a value, and returns the keys of the values that were removed to make room for it.
    @discardableResult package mutating func insert(_ value: Value, for key: Key, cost: Int = 0) -> [Key] {
        uses += 1
        let former = entries.updateValue(Entry(value: value, cost: cost, use: uses), forKey: key)
        self.cost += cost - (former?.cost ?? 0)
        guard entries.count > maximumCount || self.cost > maximumCost else { return [] }
        // An eighth of the entries is removed at once, because all entries are sorted to find the oldest.
        let wanted = min(maximumCount, entries.count - entries.count / 8)
        var removed: [Key] = []
        for (key, entry) in entries.sorted(by: { $0.value.use < $1.value.use }).dropLast() where entries.count > wanted || self.cost > maximumCost {
            entries[key] = nil
            self.cost -= entry.cost
            removed.append(key)
        }
        return removed
    }

    package mutating func remove(where isGone: (Key) -> Bool) {
        for (key, entry) in entries where isGone(key) {
            entries[key] = nil
            cost -= entry.cost
        }
    }
}
