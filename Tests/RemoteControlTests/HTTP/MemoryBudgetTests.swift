import Testing

@testable import RemoteControl

/// Tests of the budget for the memory that all clients together make the server use.
@Suite struct MemoryBudgetTests {
    @Test("a reservation beyond the total or a network's share is refused, and its end frees the memory")
    func limits() {
        let budget = MemoryBudget(total: 100, share: 60)
        var first = budget.reserve(50, for: "a")
        #expect(first != nil)
        #expect(budget.reserve(20, for: "a") == nil)
        let second = budget.reserve(45, for: "b")
        #expect(second != nil)
        #expect(!budget.fits(10, for: "c"))
        #expect(budget.fits(5, for: "c"))
        #expect(budget.used == 95)
        first = nil
        #expect(budget.used == 45)
        #expect(budget.fits(55, for: "a"))
        withExtendedLifetime((first, second)) {}
    }

    @Test("a network that holds nothing may exceed its share once, and even the total if no other network holds memory")
    func onePiece() {
        let budget = MemoryBudget(total: 100, share: 10)
        let large = budget.reserve(50, for: "a")
        #expect(large != nil)
        #expect(!budget.fits(1, for: "a"))
        #expect(!budget.hasShare("a"))
        #expect(budget.hasShare("b"))
        #expect(!budget.fits(60, for: "b"))
        #expect(MemoryBudget(total: 100, share: 10).reserve(1000, for: "a") != nil)
        withExtendedLifetime(large) {}
    }

    @Test("a reservation grows within the budget, and keeps its size if growth is refused")
    func growth() throws {
        let budget = MemoryBudget(total: 100, share: 80)
        let memory = try #require(budget.reserve(10, for: "a"))
        #expect(memory.grow(to: 70))
        #expect(memory.grow(to: 20))
        #expect(memory.size == 70)
        #expect(!memory.grow(to: 81))
        let other = try #require(budget.reserve(25, for: "b"))
        #expect(!memory.grow(to: 80))
        #expect(memory.size == 70)
        #expect(budget.used == 95)
        withExtendedLifetime(other) {}
    }

    @Test("a forced reservation counts, and causes later ones to be refused")
    func forced() throws {
        let budget = MemoryBudget(total: 100, share: 100)
        let first = try #require(budget.reserve(90, for: "a"))
        let second = try #require(budget.reserve(50, for: "a", isForced: true))
        #expect(budget.used == 140)
        #expect(!budget.fits(1, for: "b"))
        withExtendedLifetime((first, second)) {}
    }

    @Test(
        "clients are counted by IPv4 address, or by the network of an IPv6 address",
        arguments: [
            ("192.168.1.7", "192.168.1.7", true), ("192.168.1.7", "192.168.1.8", false), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("fe80::1%eth0", "fe80::2%eth0", true), ("::ffff:10.0.0.1", "::ffff:10.0.0.2", false),
        ])
    func networks(one: String, other: String, areSame: Bool) {
        func network(_ address: String) -> String { HTTPPeer(address: address, isLoopback: false).network }
        #expect((network(one) == network(other)) == areSame)
    }
}
