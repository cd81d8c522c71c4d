import PlaybackEngine
import Synchronization

extension ItemID {
    private static let counter = Atomic<UInt64>(0)
    /// Returns an identity that no other item has or had.
    static func next() -> ItemID { ItemID(rawValue: counter.add(1, ordering: .relaxed).newValue) }
}
