/// The playlist as remotes see it.
public struct PlayerQueue: Sendable, Hashable {
    public var summary: QueueSummary
    /// In the order in which they are shown. Of an entry that has not been opened yet no more is known than what it was made of.
    public var entries: [PlayerState.Item]
    /// The ids of the entries that were current before, the latest last: the way that `previous` goes back.
    public var history: [String]
    public init(summary: QueueSummary, entries: [PlayerState.Item], history: [String] = []) {
        self.summary = summary; self.entries = entries; self.history = history
    }
}

/// Where the playlist stands.
public struct QueueSummary: Sendable, Hashable {
    /// Grows with every edit of the entries or their order.
    public var revision: Int
    public var count: Int
    public var currentID: String?
    /// Where `next` leads; nil at the end.
    public var nextID: String?
    public init(revision: Int, count: Int, currentID: String? = nil, nextID: String? = nil) {
        self.revision = revision; self.count = count; self.currentID = currentID; self.nextID = nextID
    }
}
