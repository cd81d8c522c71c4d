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
