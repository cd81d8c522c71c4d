import PlaybackEngine
import Synchronization

/// Limits FFmpeg's indexes of all open media together to 2²⁵ entries (768 MiB), enough for two recordings of 72 hours. A request for more entries
/// than are left fails. An index of at most 65,536 entries does not count, so that every medium can have one. Any thread may use the budget.
final class IndexBudget: Sendable {
    /// The budget of the process, which also adapts FFmpeg's limit for one allocation to the largest index.
    static let shared = IndexBudget { FFmpegLibrary.permit(entries: $0) }

    /// The number of entries of each index that counts, by the identifier of its `IndexShare`.
    private let held = Mutex<[ObjectIdentifier: Int64]>([:])
    private let permit: @Sendable (Int64) -> Void
    /// The maximum number of entries of an index that does not count.
    private static let uncounted: Int64 = 1 << 16
    /// The maximum number of entries of all indexes that count.
    static let total = 2 * MovieScreen.entryLimit

    /// - Parameter permit: The function that is called when the number of entries of the largest index changes, with this number. The lock is held
    ///   during the call, so that the last call has the newest number.
    init(permit: @escaping @Sendable (Int64) -> Void) { self.permit = permit }

    /// Sets the number of entries of an index. Returns false, and changes nothing, if the budget does not have so many entries left.
    fileprivate func set(_ entries: Int64, for index: ObjectIdentifier) -> Bool {
        held.withLock { held in
            let others = held.reduce(0) { $1.key == index ? $0 : $0 + $1.value }
            guard entries <= IndexBudget.uncounted || entries <= min(MovieScreen.entryLimit, IndexBudget.total - others) else { return false }
            let before = held.values.max() ?? 0
            held[index] = entries > IndexBudget.uncounted ? entries : nil
            let now = held.values.max() ?? 0
            if now != before { permit(now) }
            return true
        }
    }
}

/// The share of one index in the budget. It ends when this object is released. Used on the reader's thread.
final class IndexShare {
    private let budget: IndexBudget
    private var entries: Int64 = 0

    init(of budget: IndexBudget = .shared) { self.budget = budget }

    deinit { _ = budget.set(0, for: ObjectIdentifier(self)) }

    /// Enlarges the share; it never becomes smaller. Throws `outOfMemory` if the budget does not have enough entries left.
    func grow(to count: Int64) throws(PlaybackError) {
        guard count > entries else { return }
        guard budget.set(count, for: ObjectIdentifier(self)) else { throw .tooManyEntries }
        entries = count
    }
}
