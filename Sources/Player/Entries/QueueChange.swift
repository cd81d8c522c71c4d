/// The change of the playlist's entries by an edit. Its inverse undoes the edit, the event of the queue names its steps, and the rows of its entries
/// are written to the database. Changes are joined with `+=`.
struct QueueChange: Sendable {
    /// An insertion or a removal of neighbouring entries. The index refers to the list after the preceding steps. Entries that move are removed, and
    /// inserted by the next step.
    struct Step: Sendable, Hashable {
        var isInsertion: Bool
        var index: Int
        var entries: [PlaylistEntry]
    }
    /// The largest number of runs of neighbours that an edit removes or moves one by one. With more, it replaces all of the list that it touches.
    static let maximumRunCount = 128

    private(set) var steps: [Step] = []

    static func += (change: inout Self, later: Self) { change.steps += later.steps }

    mutating func remove(_ entries: some Collection<PlaylistEntry>, at index: Int) { add(false, index, entries) }
    mutating func insert(_ entries: some Collection<PlaylistEntry>, at index: Int) { add(true, index, entries) }
    private mutating func add(_ isInsertion: Bool, _ index: Int, _ entries: some Collection<PlaylistEntry>) {
        if !entries.isEmpty { steps.append(Step(isInsertion: isInsertion, index: index, entries: Array(entries))) }
    }

    /// The replacement of a list by another one: of the part between their common start and their common end.
    static func replacing(_ old: [PlaylistEntry], by new: [PlaylistEntry]) -> Self {
        let shorter = min(old.count, new.count)
        let start = (0..<shorter).first { !KeptEntries.areSame(old[$0], new[$0]) } ?? shorter
        let end = (0..<(shorter - start)).first { !KeptEntries.areSame(old[old.count - 1 - $0], new[new.count - 1 - $0]) } ?? shorter - start
        var change = Self()
        change.remove(old[start..<(old.count - end)], at: start)
        change.insert(new[start..<(new.count - end)], at: start)
        return change
    }

    /// The removal of the entries with the ids `ids`.
    static func removing(_ ids: Set<String>, from entries: [PlaylistEntry]) -> Self {
        let runs = entries.indices(where: { ids.contains($0.id) }).ranges
        guard runs.count <= maximumRunCount else { return replacing(entries, by: entries.filter { !ids.contains($0.id) }) }
        var change = Self()
        for run in runs.reversed() { change.remove(entries[run], at: run.lowerBound) }
        return change
    }

    /// The moves that bring `old` into the order `new`, in which the entries with the ids `moved` follow each other.
    static func moving(_ moved: [String], in old: [PlaylistEntry], to new: EntryOrder) -> Self {
        var (change, list, rest) = (Self(), old, moved[...])
        let follower = moved.last.flatMap(new.index).flatMap { new.ids.dropFirst($0 + 1).first }
        while let first = rest.first, let index = list.firstIndex(where: { $0.id == first }) {
            let run = Array(zip(rest, list[index...]).prefix { $0 == $1.id }.map(\.1))
            rest = rest.dropFirst(run.count)
            list.removeSubrange(index..<(index + run.count))
            let target = list.firstIndex { $0.id == follower } ?? list.count
            list.insert(contentsOf: run, at: target)
            guard index != target else { continue }
            change.remove(run, at: index)
            change.insert(run, at: target)
            if change.steps.count > 2 * maximumRunCount {
                return replacing(old, by: old.sorted { new.index(of: $0.id) ?? 0 < new.index(of: $1.id) ?? 0 })
            }
        }
        return change
    }

    /// The change that leads from the list after this change to the list before it.
    var inverse: Self { Self(steps: steps.reversed().map { Step(isInsertion: !$0.isInsertion, index: $0.index, entries: $0.entries) }) }

    /// The versions of entries that only the list before the change has, and those that only the list after it has, by their ids.
    var versions: (removed: [String: PlaylistEntry], inserted: [String: PlaylistEntry]) {
        var (removed, inserted): ([String: PlaylistEntry], [String: PlaylistEntry]) = ([:], [:])
        for step in steps {
            for entry in step.entries {
                if !step.isInsertion {
                    if inserted.removeValue(forKey: entry.id) == nil { removed[entry.id] = entry }
                } else if let old = removed[entry.id], KeptEntries.areSame(old, entry) {
                    removed[entry.id] = nil
                } else {
                    inserted[entry.id] = entry
                }
            }
        }
        return (removed, inserted)
    }

    /// Adapts the change to a later one that cannot be undone, which has replaced the entry `id` by `new`. The inverse then leads to the list before
    /// this change, with the same replacement.
    ///
    /// - Parameter index: The index of the entry in the list after this change; nil if this list does not have it.
    /// - Returns: The index of the entry in the list before this change; nil if this list does not have it.
    mutating func replace(_ id: String, at index: Int?, by new: [PlaylistEntry]) -> Int? {
        var index = index
        for number in steps.indices.reversed() {
            let step = steps[number]
            if let place = index, !step.isInsertion || !(step.index..<(step.index + step.entries.count)).contains(place) {
                if place < step.index {
                    steps[number].index += new.count - 1
                } else {
                    index = place + (step.isInsertion ? -step.entries.count : step.entries.count)
                }
            } else if let found = step.entries.firstIndex(where: { $0.id == id }) {
                steps[number].entries.replaceSubrange(found...found, with: new)
                index = step.isInsertion ? nil : step.index + found
            }
        }
        steps.removeAll(where: \.entries.isEmpty)
        return index
    }
}

extension [PlaylistEntry] {
    /// Carries out the steps of a change.
    mutating func apply(_ change: QueueChange) {
        for step in change.steps {
            if step.isInsertion {
                insert(contentsOf: step.entries, at: step.index)
            } else {
                removeSubrange(step.index..<(step.index + step.entries.count))
            }
        }
    }
}
