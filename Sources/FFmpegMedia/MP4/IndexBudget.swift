import PlaybackEngine
import Synchronization

/// The memory budget for FFmpeg's indexes of all open media together: 2²⁵ entries (768 MiB), which is enough for two recordings of 72 hours. Any
/// thread may use it.
///
/// The entries belong to the medium that asks first, until it is closed. Indexes of up to 65,536 entries, which every medium may have, do not count.
final class IndexBudget: Sendable {
    /// The budget of the process. It raises and lowers FFmpeg's limit for a single allocation.
    static let shared = IndexBudget { FFmpegLibrary.permit(entries: $0) }

    /// The number of entries of each index that counts, by its `IndexShare`.
    private let held = Mutex<[ObjectIdentifier: Int64]>([:])
    private let permit: @Sendable (Int64) -> Void
    /// The largest size of an index that does not count, in entries.
    private static let uncounted: Int64 = 1 << 16
    /// The maximum number of entries of all indexes together.
    static let total = 2 * MovieTables.entryLimit

    /// - Parameter permit: The callback that receives the number of entries of the largest index whenever this number changes. It is called under the
    ///   lock, so that the last call has the newest number.
    init(permit: @escaping @Sendable (Int64) -> Void) { self.permit = permit }

    /// Sets the number of entries of one index to `entries`; false if the budget does not have that many left.
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

/// The share of one index in the budget, until this object is released. Used only by the reader's thread.
final class IndexShare {
    private let budget: IndexBudget
    private var entries: Int64 = 0

    init(of budget: IndexBudget = .shared) { self.budget = budget }

    deinit { _ = budget.set(0, for: ObjectIdentifier(self)) }

    /// Raises the share to `count` entries. A smaller number has no effect.
    ///
    /// Errors: `outOfMemory`.
    func grow(to count: Int64) throws(PlaybackError) {
        guard count > entries else { return }
        guard budget.set(count, for: ObjectIdentifier(self)) else { throw .tooManyEntries }
        entries = count
    }
}
