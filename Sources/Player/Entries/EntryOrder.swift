import Platform

/// An order of distinct ids. The index of an id is found without a search.
struct EntryOrder: Sendable, Equatable {
    private(set) var ids: [String] = [] {
        didSet { positions = EntryIndex(ids) }
    }
    private var positions = EntryIndex()

    init(_ ids: [String] = []) {
        self.ids = ids
        positions = EntryIndex(ids)
    }

    func index(of id: String) -> Int? { positions[id] }

    /// Inserts ids at an index of the order.
    mutating func insert(_ new: [String], at index: Int) { ids.insert(contentsOf: new, at: index) }

    /// Inserts each id at a random index of at least `earliest`.
    mutating func scatter(_ new: [String], from earliest: Int, using generator: inout SplitMix64) {
        let start = min(earliest, ids.count)
        let arriving = new.shuffled(using: &generator)
        var merged = Array(ids[..<start])
        merged.reserveCapacity(ids.count + arriving.count)
        // Of the ids that are left, each is the next one with the same probability, so that an order of many costs no more than its length.
        var (old, added) = (start, 0)
        while old < ids.count || added < arriving.count {
            let (rest, newRest) = (ids.count - old, arriving.count - added)
            if Int.random(in: 0..<(rest + newRest), using: &generator) < newRest {
                merged.append(arriving[added])
                added += 1
            } else {
                merged.append(ids[old])
                old += 1
            }
        }
        ids = merged
    }

    mutating func remove(_ removed: Set<String>) { ids.removeAll(where: removed.contains) }

    /// Returns the order that results if the ids `moved` are taken out and inserted again, in their given order, at a position.
    ///
    /// - Parameter current: The id of the current entry, for the position `next`.
    func moving(_ moved: [String], to position: QueuePlace, current: String?) -> [String] {
        let taken = Set(moved)
        var rest = ids.filter { !taken.contains($0) }
        /// Returns how many of the ids before an index of this order are not moved.
        func staying(before index: Int) -> Int { ids[..<index].reduce(0) { $0 + (taken.contains($1) ? 0 : 1) } }
        let target: Int =
            switch position {
            case .end: rest.count
            case .next: current.flatMap(index).map { staying(before: $0 + 1) } ?? 0
            case .before(let id): index(of: id).map { staying(before: $0) } ?? rest.count
            case .after(let id): index(of: id).map { staying(before: $0 + 1) } ?? rest.count
            case .index(let index): min(max(0, index), rest.count)
            }
        rest.insert(contentsOf: moved, at: target)
        return rest
    }
}
