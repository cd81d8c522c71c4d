import Platform

/// An order of distinct ids. The index of an id is found without a search.
struct EntryOrder: Sendable, Equatable {
    private(set) var ids: [String] = [] {
        didSet { positions = Self.indices(of: ids) }
    }
    private var positions: [String: Int] = [:]

    init(_ ids: [String] = []) {
        self.ids = ids
        positions = Self.indices(of: ids)
    }

    /// Returns the index of each id in an array of distinct ids.
    static func indices(of ids: [String]) -> [String: Int] { Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) }) }

    func index(of id: String) -> Int? { positions[id] }

    /// Inserts ids at an index of the order.
    mutating func insert(_ new: [String], at index: Int) { ids.insert(contentsOf: new, at: index) }

    /// Inserts each id at a random index of at least `earliest`.
    mutating func scatter(_ new: [String], from earliest: Int, using generator: inout SplitMix64) {
        var order = ids
        for id in new { order.insert(id, at: Int.random(in: min(earliest, order.count)...order.count, using: &generator)) }
        ids = order
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
