import PlaybackEngine
import Synchronization
import Testing

@testable import FFmpegMedia

@Suite("Index budget")
struct IndexBudgetTests {
    /// The sizes that a budget has permitted, in order.
    private final class Permits: Sendable {
        private let list = Mutex<[Int64]>([])
        func append(_ entries: Int64) { list.withLock { $0.append(entries) } }
        var all: [Int64] { list.withLock { $0 } }
    }

    @Test("two long recordings share the whole budget, and another one gets more only after one is closed")
    func shared() throws {
        let budget = IndexBudget { _ in }
        var first: IndexRoom? = IndexRoom(of: budget)
        try first?.grow(to: MovieTables.most - 100_000)
        let second = IndexRoom(of: budget), third = IndexRoom(of: budget)
        try second.grow(to: MovieTables.most)
        let error = #expect(throws: PlaybackError.self) { try third.grow(to: 100_001) }
        #expect(error?.code == .outOfMemory)
        try third.grow(to: 100_000)
        first = nil
        try third.grow(to: MovieTables.most)
    }

    @Test("an index that grows is charged only for its growth")
    func growth() throws {
        let budget = IndexBudget { _ in }
        let room = IndexRoom(of: budget)
        for count in stride(from: Int64(1 << 20), through: MovieTables.most, by: 1 << 20) { try room.grow(to: count) }
        let error = #expect(throws: PlaybackError.self) { try room.grow(to: MovieTables.most + 1) }
        #expect(error?.code == .outOfMemory)
    }

    @Test("an index up to the size permitted for every medium is not charged")
    func small() throws {
        let budget = IndexBudget { _ in }
        let room = IndexRoom(of: budget), other = IndexRoom(of: budget)
        try room.grow(to: MovieTables.most)
        try other.grow(to: 65_536)
    }

    @Test("the memory limit follows the largest open index")
    func permits() throws {
        let permits = Permits(), budget = IndexBudget { permits.append($0) }
        var large: IndexRoom? = IndexRoom(of: budget), medium: IndexRoom? = IndexRoom(of: budget)
        try medium?.grow(to: 3_000_000)
        try large?.grow(to: 12_000_000)
        withExtendedLifetime(medium) { large = nil }
        medium = nil
        #expect(permits.all == [3_000_000, 12_000_000, 3_000_000, 0])
        #expect(large == nil && medium == nil)
    }
}
