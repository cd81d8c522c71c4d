import PlaybackEngine
import Synchronization
import Testing

@testable import FFmpegMedia

@Suite("Index budget")
struct IndexBudgetTests {
    /// Records the sizes of the largest index, in entries, that a budget has reported, in order.
    private final class Permits: Sendable {
        private let list = Mutex<[Int64]>([])
        func append(_ entries: Int64) { list.withLock { $0.append(entries) } }
        var all: [Int64] { list.withLock { $0 } }
    }

    @Test("two long recordings share the whole budget, and another one gets more only after one is closed")
    func shared() throws {
        let budget = IndexBudget { _ in }
        var first: IndexShare? = IndexShare(of: budget)
        try first?.grow(to: MovieScreen.entryLimit - 100_000)
        let second = IndexShare(of: budget), third = IndexShare(of: budget)
        try second.grow(to: MovieScreen.entryLimit)
        let error = #expect(throws: PlaybackError.self) { try third.grow(to: 100_001) }
        #expect(error?.code == .outOfMemory)
        try third.grow(to: 100_000)
        first = nil
        try third.grow(to: MovieScreen.entryLimit)
    }

    @Test("an index that grows is charged only for its growth")
    func growth() throws {
        let budget = IndexBudget { _ in }
        let share = IndexShare(of: budget)
        for count in stride(from: Int64(1 << 20), through: MovieScreen.entryLimit, by: 1 << 20) { try share.grow(to: count) }
        let error = #expect(throws: PlaybackError.self) { try share.grow(to: MovieScreen.entryLimit + 1) }
        #expect(error?.code == .outOfMemory)
    }

    @Test("an index up to the size permitted for every medium is not charged")
    func small() throws {
        let budget = IndexBudget { _ in }
        let share = IndexShare(of: budget), other = IndexShare(of: budget)
        try share.grow(to: MovieScreen.entryLimit)
        try other.grow(to: 65_536)
    }

    @Test("the memory limit follows the largest open index")
    func permits() throws {
        let permits = Permits(), budget = IndexBudget { permits.append($0) }
        // The shares are in a dictionary, so that removing one releases it at once. The optimizer may delay the release of a local variable.
        var open = ["medium": IndexShare(of: budget), "large": IndexShare(of: budget)]
        try open["medium"]?.grow(to: 3_000_000)
        try open["large"]?.grow(to: 12_000_000)
        open["large"] = nil
        #expect(permits.all == [3_000_000, 12_000_000, 3_000_000])
        open["medium"] = nil
        #expect(permits.all == [3_000_000, 12_000_000, 3_000_000, 0])
    }
}
