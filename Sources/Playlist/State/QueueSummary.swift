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
