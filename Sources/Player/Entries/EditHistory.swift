/// The last edits of the playlist that can be undone or repeated, in a limited amount of memory. `EditHistory` is a value, and does not
/// decide about playback.
struct EditHistory: Sendable {
    /// The largest number of edits that can be undone.
    static let maximumCount = 20
    /// The limit of the text of the removed and changed entries that all records keep, in bytes. The latest record is kept even if it alone has more.
    static let maximumTextSize = 16 << 20
    /// The largest number of entries that the changes of all records but the latest one keep: a move or replacement of entries keeps two of each.
    static let maximumEntryCount = 40_000

    /// The playback of the current entry at the time of an edit.
    struct Playback: Sendable, Hashable {
        /// The position in the entry, in seconds of media time.
        var time: Double
        var isPlaying: Bool
    }

    /// The data that restore the playlist as it was before an edit.
    struct Record: Sendable {
        var edit: QueueEdit
        /// The change by the edit, whose inverse restores the entries. It is kept applicable to the present entries or, for an older record, to those
        /// that the newer records leave.
        var change = QueueChange() {
            didSet {
                let versions = change.versions.removed
                removed = (Array(versions.keys), versions.values.reduce(0) { $0 + $1.spec.textSize })
            }
        }
        /// The ids of the entries that the edit has removed or changed, and the size of their text in bytes.
        private(set) var removed: (ids: [String], textSize: Int) = ([], 0)
        /// The ids of all entries in playback order if the playlist was shuffled.
        var shuffledOrder: [String]
        /// The number of the shuffle that `shuffledOrder` belongs to.
        var shuffleNumber: Int
        var currentID: String?
        /// The id of the entry that was current immediately after the edit.
        var nextCurrentID: String?
        var history: [String]
        var playback: Playback?
    }

    /// The records of edits that can be undone, and of edits that were undone, the latest last.
    private var done: [Record] = []
    private var undone: [Record] = []

    /// The ids of the removed and changed entries of all records. The commands `undo` and `redo` can restore these entries.
    var removedIDs: Set<String> { Set((done + undone).flatMap { $0.removed.ids }) }

    var edits: RevertibleEdits { RevertibleEdits(undo: done.last?.edit, redo: undone.last?.edit) }

    /// Adds an edit of a client. Edits that were undone cannot be repeated afterwards.
    mutating func push(_ record: Record) {
        undone = []
        done.append(record)
        trim()
    }

    /// Adapts all records after the entry `id` was replaced, but not by an edit: by nothing if it was played and removed, by its media if it was a
    /// playlist.
    ///
    /// - Parameter index: The index that the entry had.
    mutating func replace(_ id: String, at index: Int, by new: [PlaylistEntry]) {
        func adapt(_ records: inout [Record]) {
            var place: Int? = index
            for record in records.indices.reversed() where place != nil {
                place = records[record].change.replace(id, at: place, by: new)
                guard place != nil, let at = records[record].shuffledOrder.firstIndex(of: id) else { continue }
                records[record].shuffledOrder.replaceSubrange(at...at, with: new.map(\.id))
            }
        }
        adapt(&done)
        adapt(&undone)
    }

    /// Removes the record of the edit that is undone or repeated next, and returns it. Returns nil if there is no such edit.
    mutating func take(_ direction: Direction) -> Record? {
        switch direction {
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
        var sizes = (done + undone).map { record in
            (count: record.change.steps.reduce(0) { $0 + $1.entries.count }, text: record.removed.textSize)
        }
        while sizes.count > 1 {
            let (count, text) = sizes.reduce((0, 0)) { ($0.0 + $1.count, $0.1 + $1.text) }
            guard text > Self.maximumTextSize || count > Self.maximumEntryCount else { return }
            if done.isEmpty { undone.removeFirst() } else { done.removeFirst() }
            sizes.removeFirst()
        }
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
