import PlaybackEngine
import Synchronization

extension ItemID {
    private static let counter = Atomic<UInt64>(0)
    /// Returns a new item identity, which no other item has or had.
    static func next() -> ItemID { ItemID(rawValue: counter.add(1, ordering: .relaxed).newValue) }
}
