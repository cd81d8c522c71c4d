/// The description of one edit of the queue, which the command `undo` reverts.
public struct QueueEdit: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable { case insert, remove, move, clear, replace }

    public var kind: Kind
    /// The number of entries that the edit inserted, removed or moved; for `replace`, the number of entries that were replaced.
    public var count: Int
    /// The name of the client that made the edit.
    public var origin: String
    public init(kind: Kind, count: Int, origin: String) { self.kind = kind; self.count = count; self.origin = origin }
}

/// The edits that the commands `undo` and `redo` would carry out.
public struct RevertibleEdits: Sendable, Hashable {
    /// The edit that `undo` reverts; nil if there is none.
    public var undo: QueueEdit?
    /// The edit that `redo` repeats; nil if there is none.
    public var redo: QueueEdit?
    public init(undo: QueueEdit? = nil, redo: QueueEdit? = nil) { self.undo = undo; self.redo = redo }
}
