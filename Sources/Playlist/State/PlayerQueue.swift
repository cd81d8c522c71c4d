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
