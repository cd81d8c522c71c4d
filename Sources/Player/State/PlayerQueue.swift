/// The playlist as remotes see it, or a part of it.
public struct PlayerQueue: Sendable, Hashable {
    public var summary: QueueSummary
    /// The entries in the order that the client requested. An entry that was not opened has only the properties of its specification.
    public var entries: [PlayerState.Item]
    /// The ids of the entries that were current earlier, the latest last. The command `previous` returns to the entries of the history.
    public var history: [String]
    /// The index of the first of `entries` in the queue, in the order that the client requested.
    public var offset: Int
    public var edits: RevertibleEdits
    public init(
        summary: QueueSummary, entries: [PlayerState.Item], history: [String] = [], offset: Int = 0, edits: RevertibleEdits = RevertibleEdits()
    ) {
        self.summary = summary; self.entries = entries; self.history = history; self.offset = offset; self.edits = edits
    }
}

/// A summary of the playlist.
public struct QueueSummary: Sendable, Hashable {
    /// The revision of the playlist: a number that grows with each change of the entries or their order.
    public var revision: Int
    public var count: Int
    public var currentID: String?
    /// The id of the entry that the command `next` makes current; nil at the end of the playback order.
    public var nextID: String?
    public init(revision: Int, count: Int, currentID: String? = nil, nextID: String? = nil) {
        self.revision = revision; self.count = count; self.currentID = currentID; self.nextID = nextID
    }
}

/// The part of the queue that a client reads.
public struct QueuePage: Sendable, Hashable {
    public enum Start: Sendable, Hashable {
        /// The index of the first entry.
        case offset(Int)
        /// The current entry is in the middle of the page, unless an end of the queue is near. If no entry is current, the page is the first one.
        case aroundCurrent
        /// The entry with this id.
        case entry(String)
    }

    public var start: Start
    /// The largest number of entries of a page without a limit.
    public static let maximumLength = 10_000

    /// The largest number of entries; nil means `maximumLength`.
    public var limit: Int?
    public var order: QueueOrder
    public init(start: Start = .offset(0), limit: Int? = nil, order: QueueOrder = .display) {
        self.start = start; self.limit = limit; self.order = order
    }

    /// The whole queue in display order, or its first `maximumLength` entries.
    public static let whole = QueuePage()

    /// Returns the indices of the page's entries.
    ///
    /// - Parameters:
    ///   - count: The number of entries of the queue.
    ///   - current: The index of the current entry in the order of the page; nil if no entry is current.
    ///   - index: Returns the index of an entry in display order; nil if the queue does not have the entry.
    public func indices(count: Int, current: Int?, index: (String) -> Int?) -> Range<Int> {
        let length = min(max(0, limit ?? Self.maximumLength), count)
        let first: Int =
            switch start {
            case .offset(let offset): min(max(0, offset), count)
            case .entry(let id): index(id) ?? count
            case .aroundCurrent: min(max(0, (current ?? 0) - length / 2), count - length)
            }
        return first..<min(count, first + length)
    }
}

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
