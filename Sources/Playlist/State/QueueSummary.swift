/// A summary of the playlist.
public struct QueueSummary: Sendable, Hashable {
    /// A number that grows with each change of the entries or their order.
    public var revision: Int
    public var count: Int
    public var currentID: String?
    /// The entry that `next` makes current; nil at the end.
    public var nextID: String?
    public init(revision: Int, count: Int, currentID: String? = nil, nextID: String? = nil) {
        self.revision = revision; self.count = count; self.currentID = currentID; self.nextID = nextID
    }
}
