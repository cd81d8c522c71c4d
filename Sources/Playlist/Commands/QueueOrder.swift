/// An order of the entries of the queue.
public enum QueueOrder: String, Sendable, Hashable, CaseIterable {
    /// The order in which clients show the entries.
    case display
    /// The order in which the entries are played. It differs from the display order only if the queue is shuffled.
    case playback
}
