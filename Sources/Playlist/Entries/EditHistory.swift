/// The last edits of the playlist that can be undone or repeated, in a limited amount of memory. A value without decisions about playback.
struct EditHistory: Sendable {
    /// The largest number of edits that can be undone.
    static let maximumCount = 20
    /// The limit of the text of the removed entries that all records keep, in bytes. One edit removes at most this amount.
    static let maximumTextSize = PlaylistMachine.maximumTextSize
    /// The largest number of removed entries that all records keep.
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
        var history: [String]
        var playback: Playback?
        /// The entries that the edit removed, or changed, as they were before.
        var removed: [PlaylistEntry] = []

        fileprivate var textSize: Int { removed.reduce(0) { $0 + $1.spec.textSize } }

        /// Returns a copy of the record that keeps the removed entries.
        func keeping(_ removed: [PlaylistEntry]) -> Record {
            var copy = self
            copy.removed = removed
            return copy
        }
    }

    /// The records of edits that can be undone, and of edits that were undone, the latest last.
    private var done: [Record] = []
    private var undone: [Record] = []

    var edits: RevertibleEdits { RevertibleEdits(undo: done.last?.edit, redo: undone.last?.edit) }

    /// Adds an edit of a client. Edits that were undone cannot be repeated afterwards.
    mutating func push(_ record: Record) {
        undone = []
        done.append(record)
        trim()
    }

    /// Takes the record of the edit to undo, or to repeat. Returns nil if there is none.
    mutating func take(_ direction: Direction) -> Record? {
        switch direction {
        case .undo: done.popLast()
        case .redo: undone.popLast()
        }
    }

    /// Adds the record that reverts the step that `take` returned.
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
        var textSize = (done + undone).reduce(0) { $0 + $1.textSize }
        var count = (done + undone).reduce(0) { $0 + $1.removed.count }
        while textSize > Self.maximumTextSize || count > Self.maximumEntryCount, done.count + undone.count > 1 {
            let oldest = done.isEmpty ? undone.removeFirst() : done.removeFirst()
            textSize -= oldest.textSize
            count -= oldest.removed.count
        }
    }
}
