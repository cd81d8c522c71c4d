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

    /// Returns the id of the entry after the entry `id` in the playback order; nil at the end of the playback order. If `repeating` is true, the
    /// first entry follows the last entry.
    private func following(_ id: String, repeating: Bool) -> String? {
        guard let at = isShuffled ? shuffledOrder.index(of: id) : index(of: id) else { return nil }
        return idInOrder(at + 1 < entries.count ? at + 1 : repeating ? 0 : -1)
    }

    /// Returns the id of the entry at an index of the playback order; nil if the index is out of range.
    func idInOrder(_ index: Int) -> String? {
        guard entries.indices.contains(index) else { return nil }
        return isShuffled ? shuffledOrder.ids[index] : entries[index].id
    }

    /// Returns the id of the first entry after `id` in the playback order for which `isSkipped` is false; nil if no such entry follows.
    func follower(of id: String, repeating: Bool, skipping isSkipped: (String) -> Bool) -> String? {
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

    /// The ids of the entries that follow the current entry in the playback order; all ids if no entry is current.
    var upcomingIDs: [String] {
        let order = isShuffled ? shuffledOrder.ids : entries.map(\.id)
        guard let at = currentID.flatMap({ isShuffled ? shuffledOrder.index(of: $0) : index(of: $0) }) else { return order }
        return Array(order[(at + 1)...])
    }

    /// Returns the id of the entry that the command `next` makes current; nil at the end of the playback order. The repeat mode `one` has no effect
    /// on the command `next`. Entries for which `isSkipped` is true are skipped, unless `isSkipped` is true for all following entries. If no entry is
    /// current, returns the id of the first entry.
    public func nextID(skipping isSkipped: (String) -> Bool = { _ in false }) -> String? {
        guard let currentID else { return idInOrder(0) }
        let repeating = repeatMode == .all
        return follower(of: currentID, repeating: repeating, skipping: isSkipped) ?? following(currentID, repeating: repeating)
    }
}
