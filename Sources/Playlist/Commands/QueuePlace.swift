/// A position in the queue at which entries are inserted, or to which entries are moved.
public enum QueuePlace: Sendable, Hashable {
    case end
    /// After the current entry, in the display order and in the playback order. If no entry is current, before all entries.
    case next
    /// Before the entry with this id.
    case before(String)
    /// After the entry with this id.
    case after(String)
    /// The index that the first of the inserted or moved entries has afterwards. An index beyond the end means the end.
    case index(Int)

    /// The id of the entry to which the position is relative; nil if the position names no entry.
    public var anchor: String? {
        switch self {
        case .before(let id), .after(let id): id
        case .end, .next, .index: nil
        }
    }
}
