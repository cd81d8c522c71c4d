import PlaybackEngine
import Synchronization

/// Limits the memory of FFmpeg's indexes of all open media together to 2²⁵ entries (768 MiB), which is enough for two recordings of 72 hours. Any
/// thread may use it.
///
/// Media get entries in the order of their requests, and return them when they are closed. A request for more entries than are left fails. Indexes of
/// at most 65,536 entries do not count against the budget, so that every medium may have one.
final class IndexBudget: Sendable {
    /// The index budget of the process. It also adapts FFmpeg's limit for a single allocation of memory to the largest index.
    static let shared = IndexBudget { FFmpegLibrary.permit(entries: $0) }

    /// The number of entries of each index that counts against the budget, by the identity of its `IndexShare`.
    private let held = Mutex<[ObjectIdentifier: Int64]>([:])
    private let permit: @Sendable (Int64) -> Void
    /// The largest index that does not count against the budget, in entries.
    private static let uncounted: Int64 = 1 << 16
    /// The maximum number of entries of all indexes together that count against the budget.
    static let total = 2 * MovieTables.entryLimit

    /// - Parameter permit: The function that receives the number of entries of the largest counted index after each change of this number. It is
    ///   called under the budget's lock, so the last call has the newest number.
    init(permit: @escaping @Sendable (Int64) -> Void) { self.permit = permit }

    /// Sets the number of entries of the index `index` in the budget; returns false if the budget does not have that many entries left.
    fileprivate func set(_ entries: Int64, for index: ObjectIdentifier) -> Bool {
        held.withLock { held in
            let others = held.reduce(0) { $1.key == index ? $0 : $0 + $1.value }
            guard entries <= IndexBudget.uncounted || entries <= min(MovieTables.entryLimit, IndexBudget.total - others) else { return false }
            let before = held.values.max() ?? 0
            held[index] = entries > IndexBudget.uncounted ? entries : nil
            let now = held.values.max() ?? 0
            if now != before { permit(now) }
            return true
        }
    }
}

/// The entries that one index has in the index budget, until the `IndexShare` is released. Only the reader's thread uses an `IndexShare`.
final class IndexShare {
    private let budget: IndexBudget
    private var entries: Int64 = 0

    init(of budget: IndexBudget = .shared) { self.budget = budget }

    deinit { _ = budget.set(0, for: ObjectIdentifier(self)) }

    /// Raises the number of entries that the index has in the budget to `count`; does nothing if the number is not smaller.
    ///
    /// Throws `outOfMemory` if the budget does not have enough entries left.
    func grow(to count: Int64) throws(PlaybackError) {
        guard count > entries else { return }
        guard budget.set(count, for: ObjectIdentifier(self)) else { throw .tooManyEntries }
        entries = count
    }
}
