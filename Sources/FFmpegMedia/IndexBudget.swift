import PlaybackEngine
import Synchronization

/// The memory that FFmpeg's indexes of all open media take together: 2²⁵ entries, 768 MiB, which is a recording of 72 hours and the next. Any thread.
///
/// Who comes first has it until the medium is closed. Indexes of up to 65,536 entries, which every medium may have, take nothing of it.
final class IndexBudget: Sendable {
    /// That of the process, by which FFmpeg's limit of a piece of memory rises and falls.
    static let shared = IndexBudget { FFmpegLibrary.permit(entries: $0) }

    /// The entries of each index.
    private let held = Mutex<[ObjectIdentifier: Int64]>([:])
    private let permit: @Sendable (Int64) -> Void
    private static let free: Int64 = 1 << 16
    /// The entries of all together.
    static let total = 2 * MovieTables.most

    /// - Parameter permit: told how many entries the largest index may have, whenever that changes; under the lock, so that the last word is the newest.
    init(permit: @escaping @Sendable (Int64) -> Void) { self.permit = permit }

    /// Gives one index so many entries; false where there are not so many left.
    fileprivate func set(_ entries: Int64, for room: ObjectIdentifier) -> Bool {
        held.withLock { held in
            let others = held.reduce(0) { $1.key == room ? $0 : $0 + $1.value }
            guard entries <= IndexBudget.free || entries <= min(MovieTables.most, IndexBudget.total - others) else { return false }
            let before = held.values.max() ?? 0
            held[room] = entries > IndexBudget.free ? entries : nil
            let now = held.values.max() ?? 0
            if now != before { permit(now) }
            return true
        }
    }
}

/// One index's part of the budget, until it is released. Confined to the reader's thread.
final class IndexRoom {
    private let budget: IndexBudget
    private var entries: Int64 = 0

    init(of budget: IndexBudget = .shared) { self.budget = budget }

    deinit { _ = budget.set(0, for: ObjectIdentifier(self)) }

    /// Makes room for so many entries in all.
    ///
    /// Errors: `outOfMemory`.
    func grow(to count: Int64) throws(PlaybackError) {
        guard count > entries else { return }
        guard budget.set(count, for: ObjectIdentifier(self)) else { throw .tooManyEntries }
        entries = count
    }
}
