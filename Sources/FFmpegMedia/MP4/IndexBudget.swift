import PlaybackEngine
import Synchronization

/// The memory of FFmpeg's indexes of all open media together: 2²⁵ entries, 768 MiB, enough for two recordings of 72 hours. Any thread.
///
/// The first medium to ask has its entries until it is closed. Indexes of up to 65,536 entries, which every medium may have, do not count.
final class IndexBudget: Sendable {
    /// The budget of the process. It raises and lowers FFmpeg's limit of a single allocation.
    static let shared = IndexBudget { FFmpegLibrary.permit(entries: $0) }

    /// The number of entries of each index.
    private let held = Mutex<[ObjectIdentifier: Int64]>([:])
    private let permit: @Sendable (Int64) -> Void
    /// Size of an index, in entries, that does not count.
    private static let uncounted: Int64 = 1 << 16
    /// Maximum number of entries of all indexes together.
    static let total = 2 * MovieTables.entryLimit

    /// - Parameter permit: Receives the entries of the largest index whenever they change. Called under the lock, so that the last call has the
    /// newest number.
    init(permit: @escaping @Sendable (Int64) -> Void) { self.permit = permit }

    /// Gives one index `entries` entries; false if not so many are left.
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

/// One index's share of the budget, until it is released. Confined to the reader's thread.
final class IndexShare {
    private let budget: IndexBudget
    private var entries: Int64 = 0

    init(of budget: IndexBudget = .shared) { self.budget = budget }

    deinit { _ = budget.set(0, for: ObjectIdentifier(self)) }

    /// Raises the share to `count` entries.
    ///
    /// Errors: `outOfMemory`.
    func grow(to count: Int64) throws(PlaybackError) {
        guard count > entries else { return }
        guard budget.set(count, for: ObjectIdentifier(self)) else { throw .tooManyEntries }
        entries = count
    }
}
