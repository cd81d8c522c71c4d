/// A change of the current entry. It is reported after the medium of the new entry was opened, so that its tags are known, or after the medium has
/// failed.
public struct CurrentItemChange: Sendable, Hashable {
    /// The new current item; nil if no entry is current.
    public var item: PlayerState.Item?
    /// The index of the current entry; −1 if no entry is current.
    public var index: Int
    /// The cause for which the entry became current.
    public var cause: PlayerState.Change
    public init(item: PlayerState.Item?, index: Int, cause: PlayerState.Change) { self.item = item; self.index = index; self.cause = cause }
}

/// Compares consecutive states of the player, and finds the changes of the current entry that have to be reported to observers.
struct CurrentItemTracker {
    /// The id of the current entry that was reported last, and the id of the present current entry with the cause for which it became current.
    private var reportedID: String?
    private var present: (id: String?, cause: PlayerState.Change)?

    /// Processes the next published state of the player. Returns the change of the current entry that has to be reported with this state; nil if
    /// there is none.
    mutating func take(_ state: PlayerState) -> CurrentItemChange? {
        let id = state.currentItem?.id
        if present == nil || present?.id != id { present = (id, state.lastChange) }
        guard id != reportedID, state.currentItem?.status != .unknown, let cause = present?.cause else { return nil }
        reportedID = id
        return CurrentItemChange(item: state.currentItem, index: state.queue.index, cause: cause)
    }
}
