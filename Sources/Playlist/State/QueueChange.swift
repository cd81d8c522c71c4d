/// One change of a client's copy of the queue, in display order. The changes of an event are applied one after the other; each index refers to the
/// list after the preceding changes.
public enum QueueChange: Sendable, Hashable {
    /// `count` entries were inserted at `index`. If `entries` is nil, the client reads them.
    case insert(index: Int, count: Int, entries: [PlayerState.Item]?)
    /// `count` entries from `index` on were removed.
    case remove(index: Int, count: Int)
    /// `count` entries from `index` on were taken out, and inserted at the index `to` of the remaining list.
    case move(index: Int, count: Int, to: Int)
    /// The known properties of `count` entries from `index` on changed. If `entries` is nil, the client reads them.
    case update(index: Int, count: Int, entries: [PlayerState.Item]?)
}

/// A change of the queue, as observers receive it.
public struct QueueUpdate: Sendable, Hashable {
    /// The summary after the change.
    public var summary: QueueSummary
    /// The revision of the queue before the change.
    public var previousRevision: Int
    /// The changes of the entries; nil if there are too many to name, so that the queue must be read again.
    public var changes: [QueueChange]?
    /// Whether the playback order of a shuffled queue changed, or the queue was shuffled or is no longer shuffled.
    public var isPlaybackOrderChanged: Bool
    public var edits: RevertibleEdits
    public init(
        summary: QueueSummary, previousRevision: Int, changes: [QueueChange]? = [], isPlaybackOrderChanged: Bool = false,
        edits: RevertibleEdits = RevertibleEdits()
    ) {
        self.summary = summary; self.previousRevision = previousRevision; self.changes = changes
        self.isPlaybackOrderChanged = isPlaybackOrderChanged; self.edits = edits
    }
}
