/// A change of the current entry, which is reported after the entry's medium has been opened or has failed. So the tags are known.
public struct CurrentItemChange: Sendable, Hashable {
    /// The new current item; nil if no entry is current.
    public var item: PlayerState.Item?
    /// The index of the current entry; −1 if no entry is current.
    public var index: Int
    /// The cause for which the entry became current.
    public var cause: PlayerState.Change
    public init(item: PlayerState.Item?, index: Int, cause: PlayerState.Change) { self.item = item; self.index = index; self.cause = cause }
}

/// Finds in consecutive states the changes of the current entry that are reported. Pure.
struct CurrentItemTracker {
    /// The entry that was reported last, and the present one with the cause for which it became current.
    private var reportedID: String?
    private var present: (id: String?, cause: PlayerState.Change)?

    /// Takes the next published state. Returns the change that is reported with it, nil if there is none.
    mutating func take(_ state: PlayerState) -> CurrentItemChange? {
        let id = state.currentItem?.id
        if present == nil || present?.id != id { present = (id, state.lastChange) }
        guard id != reportedID, state.currentItem?.status != .unknown, let cause = present?.cause else { return nil }
        reportedID = id
        return CurrentItemChange(item: state.currentItem, index: state.queue.index, cause: cause)
    }
}
