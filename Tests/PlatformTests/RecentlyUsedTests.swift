import Platform
import Testing

@Suite("Recently used values")
struct RecentlyUsedTests {
    @Test("beyond the limit of the cost, the values that were not used for longest are removed")
    func cost() {
        var cache = RecentlyUsed<Int, String>(maximumCost: 32)
        for number in 0..<6 {
            cache.insert("\(number)", for: number, cost: 10)
            #expect(cache.cost <= 32)
            _ = cache[0]
        }
        #expect((0..<6).map { cache[$0] } == ["0", nil, nil, nil, "4", "5"])
        #expect(cache.cost == 30 && cache.count == 3)
    }

    @Test("the newest value stays, even if it alone exceeds the limit")
    func large() {
        var cache = RecentlyUsed<Int, String>(maximumCost: 32)
        cache.insert("a", for: 1, cost: 1)
        cache.insert("b", for: 2, cost: 40)
        #expect(cache[1] == nil && cache[2] == "b" && cache.cost == 40)
    }

    @Test("beyond the limit of the number, an eighth is removed at once, and those used last stay")
    func number() {
        var cache = RecentlyUsed<Int, Int>(maximumCount: 80)
        for number in 0..<1000 {
            cache.insert(number, for: number)
            #expect(cache.count <= 80 && cache.count >= min(number + 1, 71))
        }
        #expect((930..<1000).allSatisfy { cache[$0] == $0 } && cache[900] == nil)
    }

    @Test("a value replaces the former one of its key, and its cost")
    func replaced() {
        var cache = RecentlyUsed<Int, String>(maximumCost: 32)
        cache.insert("a", for: 1, cost: 1)
        cache.insert("b", for: 1, cost: 2)
        cache.insert("c", for: 2, cost: 4)
        #expect(cache[1] == "b" && cache.cost == 6 && cache.key { $0 == "c" } == 2 && cache.key { $0 == "a" } == nil)
        cache.remove { $0 == 1 }
        #expect(cache[1] == nil && cache.cost == 4)
        cache.remove { _ in true }
        #expect(cache.count == 0 && cache.cost == 0)
    }
}
