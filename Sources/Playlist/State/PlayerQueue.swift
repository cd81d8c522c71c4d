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
