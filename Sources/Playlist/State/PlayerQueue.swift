/// The playlist as remotes see it.
public struct PlayerQueue: Sendable, Hashable {
    public var summary: QueueSummary
    /// The playlist's entries in the order in which clients show them. An entry that was not opened has only the properties of its specification.
    public var entries: [PlayerState.Item]
    /// The ids of the entries that were current earlier, the latest last. The command `previous` returns to the entries of the history.
    public var history: [String]
    public init(summary: QueueSummary, entries: [PlayerState.Item], history: [String] = []) {
        self.summary = summary; self.entries = entries; self.history = history
    }
}
