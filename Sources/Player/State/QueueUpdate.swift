/// A change of the queue, as observers receive it.
public struct QueueUpdate: Sendable, Hashable {
    /// The largest number of entries that an update describes. If more are inserted or changed, clients request them as a list, which costs less.
    static let maximumEntryCount = 64

    /// One change of a client's copy of the queue, in display order. The changes of an event are applied one after the other; each index refers to
    /// the list after the preceding changes.
    public enum Change: Sendable, Hashable {
        /// `count` entries were inserted at `index`. If `entries` is nil, the client reads them.
        case insert(index: Int, count: Int, entries: [PlayerState.Item]?)
        /// `count` entries from `index` on were removed.
        case remove(index: Int, count: Int)
        /// `count` entries from `index` on were taken out, and inserted at the index `to` of the remaining list.
        case move(index: Int, count: Int, to: Int)
        /// The known properties of `count` entries from `index` on changed. If `entries` is nil, the client reads them.
        case update(index: Int, count: Int, entries: [PlayerState.Item]?)
    }

    /// The summary after the change.
    public var summary: QueueSummary
    /// The revision of the queue before the change.
    public var previousRevision: Int
    /// The changes of the entries; nil if there are too many to name, so that the queue must be read again.
    public var changes: [Change]?
    /// Whether the playback order of a shuffled queue changed, or the queue was shuffled or is no longer shuffled.
    public var isPlaybackOrderChanged: Bool
    public var edits: RevertibleEdits
    public init(
        summary: QueueSummary, previousRevision: Int, changes: [Change]? = [], isPlaybackOrderChanged: Bool = false,
        edits: RevertibleEdits = RevertibleEdits()
    ) {
        self.summary = summary; self.previousRevision = previousRevision; self.changes = changes
        self.isPlaybackOrderChanged = isPlaybackOrderChanged; self.edits = edits
    }

    /// Whether a client can read the entries of `changes` instead of receiving them: no later change gives them another index.
    public static func areReadable(_ changes: [Change]) -> Bool {
        changes.dropLast().allSatisfy {
            switch $0 {
            case .remove, .move: true
            case .insert, .update: false
            }
        }
    }
}
