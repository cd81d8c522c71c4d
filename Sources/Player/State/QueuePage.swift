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
    /// The largest number of entries; nil means all.
    public var limit: Int?
    public var order: QueueOrder
    public init(start: Start = .offset(0), limit: Int? = nil, order: QueueOrder = .display) {
        self.start = start; self.limit = limit; self.order = order
    }

    /// The whole queue in display order.
    public static let whole = QueuePage()

    /// Returns the indices of the page's entries.
    ///
    /// - Parameters:
    ///   - count: The number of entries of the queue.
    ///   - current: The index of the current entry in the order of the page; nil if no entry is current.
    ///   - index: Returns the index of an entry in display order; nil if the queue does not have the entry.
    public func indices(count: Int, current: Int?, index: (String) -> Int?) -> Range<Int> {
        let length = min(max(0, limit ?? count), count)
        let first: Int =
            switch start {
            case .offset(let offset): min(max(0, offset), count)
            case .entry(let id): index(id) ?? count
            case .aroundCurrent: min(max(0, (current ?? 0) - length / 2), count - length)
            }
        return first..<min(count, first + length)
    }
}
