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
