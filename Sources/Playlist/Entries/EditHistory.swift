/// The last edits of the playlist that can be undone or repeated, in a limited amount of memory. `EditHistory` is a value, and does not decide about
/// playback.
struct EditHistory: Sendable {
    /// The largest number of edits that can be undone.
    static let maximumCount = 20
    /// The limit of the text of the removed and changed entries that all records keep, in bytes. One edit removes and changes at most this amount.
    static let maximumTextSize = PlaylistMachine.maximumTextSize
    /// The largest number of removed and changed entries that all records keep.
    static let maximumEntryCount = 2 * PlaylistMachine.maximumCount

    /// The playback of the current entry at the time of an edit.
    struct Playback: Sendable, Hashable {
        /// The position in the entry, in seconds of media time.
        var time: Double
        var isPlaying: Bool
    }

    /// The data that restore the playlist as it was before an edit.
    struct Record: Sendable {
        var edit: QueueEdit
        /// The ids of all entries in display order, and in playback order if the playlist was shuffled.
        var order: [String]
        var shuffledOrder: [String]
        /// The number of the shuffle that `shuffledOrder` belongs to.
        var shuffleNumber: Int
        var currentID: String?
        /// The id of the entry that was current immediately after the edit.
        var nextCurrentID: String?
        var history: [String]
        var playback: Playback?
        /// The entries that the edit removed.
        var removed: [PlaylistEntry] = []
        /// The entries that the edit has changed (their titles or start positions), as they were before the edit.
        var changed: [PlaylistEntry] = []

        fileprivate var textSize: Int { (removed + changed).reduce(0) { $0 + $1.spec.textSize } }
        fileprivate var entryCount: Int { removed.count + changed.count }
    }

    /// The records of edits that can be undone, and of edits that were undone, the latest last.
    private var done: [Record] = []
    private var undone: [Record] = []
    /// The ids of the removed entries of all records. The commands `undo` and `redo` can restore these entries.
    private(set) var removedIDs: Set<String> = []

    var edits: RevertibleEdits { RevertibleEdits(undo: done.last?.edit, redo: undone.last?.edit) }

    /// Adds an edit of a client. Edits that were undone cannot be repeated afterwards.
    mutating func push(_ record: Record) {
        undone = []
        done.append(record)
        trim()
    }

    /// Inserts `ids` after the id `id` in the orders of all records. Called after the media of a playlist have replaced its entry `id`, which is now
    /// the first of them.
    mutating func expand(_ id: String, with ids: [String]) {
        func expanded(_ order: inout [String]) {
            if let index = order.firstIndex(where: { $0.utf8.elementsEqual(id.utf8) }) { order.insert(contentsOf: ids, at: index + 1) }
        }
        for index in done.indices {
            expanded(&done[index].order)
            expanded(&done[index].shuffledOrder)
        }
        for index in undone.indices {
            expanded(&undone[index].order)
            expanded(&undone[index].shuffledOrder)
        }
    }

    /// Removes the record of the edit that is undone or repeated next, and returns it. Returns nil if there is no such edit.
    mutating func take(_ direction: Direction) -> Record? {
        defer { removedIDs = findRemovedIDs() }
        return switch direction {
        case .undo: done.popLast()
        case .redo: undone.popLast()
        }
    }

    /// Adds the record that reverts an undo or a redo. Called after the record that `take` returned was carried out.
    mutating func pushReverse(_ record: Record, of direction: Direction) {
        switch direction {
        case .undo: undone.append(record)
        case .redo: done.append(record)
        }
        trim()
    }

    enum Direction: Sendable { case undo, redo }

    /// Removes the oldest records until the limits are met. Records of undone edits are removed only if no others are left.
    private mutating func trim() {
        if done.count > Self.maximumCount { done.removeFirst(done.count - Self.maximumCount) }
        defer { removedIDs = findRemovedIDs() }
        var textSize = (done + undone).reduce(0) { $0 + $1.textSize }
        var count = (done + undone).reduce(0) { $0 + $1.entryCount }
        while textSize > Self.maximumTextSize || count > Self.maximumEntryCount, done.count + undone.count > 1 {
            let oldest = done.isEmpty ? undone.removeFirst() : done.removeFirst()
            textSize -= oldest.textSize
            count -= oldest.entryCount
        }
    }

    private func findRemovedIDs() -> Set<String> {
        var ids: Set<String> = []
        for record in done + undone { for entry in record.removed { ids.insert(entry.id) } }
        return ids
    }
}

/// The description of one edit of the queue, which the command `undo` reverts.
public struct QueueEdit: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case insert, remove, move, clear, replace }

    public var kind: Kind
    /// The number of entries that the edit inserted, removed or moved; for `replace`, the number of entries that were replaced.
    public var count: Int
    /// The name of the client that made the edit.
    public var origin: String
    public init(kind: Kind, count: Int, origin: String) { self.kind = kind; self.count = count; self.origin = origin }
}

/// The edits that the commands `undo` and `redo` would carry out.
public struct RevertibleEdits: Sendable, Hashable {
    /// The edit that `undo` reverts; nil if there is none.
    public var undo: QueueEdit?
    /// The edit that `redo` repeats; nil if there is none.
    public var redo: QueueEdit?
    public init(undo: QueueEdit? = nil, redo: QueueEdit? = nil) { self.undo = undo; self.redo = redo }
}
