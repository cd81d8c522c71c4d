import Platform

/// The playback order: the entries that follow another entry.
extension PlaylistMachine {
    /// Removes the entries that follow the current one in the playback order. If no entry is current, removes all.
    public mutating func removeUpcoming() { remove(Set(upcomingIDs)) }

    /// Returns the entries at the indices of an order.
    public func entries(_ indices: Range<Int>, in order: QueueOrder) -> [PlaylistEntry] {
        guard isShuffled, order == .playback else { return Array(entries[indices]) }
        return shuffledOrder.ids[indices].compactMap(entry)
    }

    /// Returns the index of the current entry in an order; nil if no entry is current.
    public func currentIndex(in order: QueueOrder) -> Int? {
        isShuffled && order == .playback ? currentID.flatMap(shuffledOrder.index) : currentIndex
    }

    /// Returns the id of the entry at an index of the playback order; nil if the index is out of range.
    func idInOrder(_ index: Int) -> String? {
        guard entries.indices.contains(index) else { return nil }
        return isShuffled ? shuffledOrder.ids[index] : entries[index].id
    }

    /// A later round of a shuffled playlist in the repeat mode `all`. Each round has a new order, which follows from the generator, so that the
    /// entries that are opened ahead are those that will play.
    struct Round: Sendable {
        let ids: [String]
        /// The generator after this round was shuffled.
        let generator: SplitMix64
    }

    /// An index of the playback order, in the present round if `round` is nil.
    private struct Turn {
        var index: Int
        var round: Round?
    }

    /// Returns the round after `former`. It begins with another entry than `last`, the last one before it, unless all others are skipped.
    private func round(after former: Round?, last: String, skipping isSkipped: (String) -> Bool) -> Round {
        var generator = former?.generator ?? self.generator
        var ids = (former?.ids ?? shuffledOrder.ids).shuffled(using: &generator)
        if let first = ids.firstIndex(where: { !isSkipped($0) }), ids[first] == last {
            let others = ids.indices.filter { $0 > first && !isSkipped(ids[$0]) }
            if let other = others.randomElement(using: &generator) { ids.swapAt(first, other) }
        }
        return Round(ids: ids, generator: generator)
    }

    /// Moves `turn` to the first entry after it for which `isSkipped` is false, and returns the entry's id. Returns nil if no such entry follows.
    private func follower(after turn: inout Turn, repeating: Bool, skipping isSkipped: (String) -> Bool) -> String? {
        func id(at index: Int) -> String? { turn.round?.ids[index] ?? idInOrder(index) }
        for index in entries.indices.dropFirst(turn.index + 1) {
            guard let found = id(at: index), !isSkipped(found) else { continue }
            turn.index = index
            return found
        }
        guard repeating, let last = id(at: turn.index) else { return nil }
        if isShuffled { turn.round = round(after: turn.round, last: last, skipping: isSkipped) }
        for index in entries.indices {
            guard let found = id(at: index), !isSkipped(found) else { continue }
            turn.index = index
            return found
        }
        return nil
    }

    /// Returns the id of the first entry after `id` in the present round for which `isSkipped` is false; nil if no such entry follows.
    func follower(of id: String, skipping isSkipped: (String) -> Bool) -> String? {
        guard let index = isShuffled ? shuffledOrder.index(of: id) : index(of: id) else { return nil }
        var turn = Turn(index: index)
        return follower(after: &turn, repeating: false, skipping: isSkipped)
    }

    /// Returns the later round into which the playback order leads from the current entry if these entries follow it; nil if they follow in the
    /// present round, or do not follow.
    func roundReached(by ids: [String], skipping isSkipped: (String) -> Bool) -> Round? {
        guard isShuffled, repeatMode == .all, let start = currentIndex(in: .playback) else { return nil }
        var turn = Turn(index: start)
        for id in ids { guard follower(after: &turn, repeating: true, skipping: isSkipped) == id else { return nil } }
        return turn.round
    }

    /// Returns at most `count` entries that follow the current entry automatically. In the repeat mode `one`, the returned array contains the current
    /// entry `count` times. Entries for which `isSkipped` is true are omitted.
    public func upcoming(_ count: Int, skipping isSkipped: (String) -> Bool = { _ in false }) -> [PlaylistEntry] {
        guard let current, let start = currentIndex(in: .playback) else { return [] }
        if repeatMode == .one { return isSkipped(current.id) ? [] : Array(repeating: current, count: count) }
        var result: [PlaylistEntry] = []
        var turn = Turn(index: start)
        while result.count < count, let id = follower(after: &turn, repeating: repeatMode == .all, skipping: isSkipped), let next = entry(id) {
            result.append(next)
        }
        return result
    }

    /// The ids of the entries that follow the current entry in the playback order; all ids if no entry is current.
    var upcomingIDs: [String] {
        let order = isShuffled ? shuffledOrder.ids : entries.map(\.id)
        guard let at = currentIndex(in: .playback) else { return order }
        return Array(order[(at + 1)...])
    }

    /// Returns the id of the entry that the command `next` makes current; nil at the end of the playback order. The repeat mode `one` has no effect
    /// on the command `next`. Entries for which `isSkipped` is true are skipped, unless `isSkipped` is true for all following entries. If no entry is
    /// current, returns the id of the first entry.
    public func nextID(skipping isSkipped: (String) -> Bool = { _ in false }) -> String? {
        guard let start = currentIndex(in: .playback) else { return idInOrder(0) }
        let repeating = repeatMode == .all
        var turn = Turn(index: start)
        if let id = follower(after: &turn, repeating: repeating, skipping: isSkipped) { return id }
        return idInOrder(start + 1 < entries.count ? start + 1 : repeating ? 0 : -1)
    }
}
