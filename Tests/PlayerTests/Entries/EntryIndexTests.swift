import Platform
import Testing

@testable import Player

@Suite("EntryIndex") struct EntryIndexTests {
    @Test("each id has its index, whether the ids are numbers of entries, few of a large range, or any texts")
    func indices() {
        let dense = (1...2_000).map { "e\($0)" }.shuffled(), sparse = ["e1", "e900000000000", "e7"], texts = ["a", "e1", "e01", "é", ""]
        for ids in [dense, sparse, texts, ["e0"], []] {
            let index = EntryIndex(ids)
            for (position, id) in ids.enumerated() { #expect(index[id] == position) }
            for other in ["e2001", "e", "e3 ", "f1", "e-1", "e+1", "e00", "e９", "e99999999999999999999"] { #expect(index[other] == nil) }
        }
        #expect(EntryIndex(["e1", "e2"])["e01"] == nil && EntryIndex()["e1"] == nil)
    }

    @Test("ids that are scattered over an order come at any place after the start, each once, and the others keep their order", arguments: 1...50)
    func scattering(seed: UInt64) {
        var generator = SplitMix64(state: seed)
        let old = (1...20).map { "e\($0)" }, new = (21...30).map { "e\($0)" }
        var order = EntryOrder(old)
        order.scatter(new, from: 5, using: &generator)
        #expect(Array(order.ids.prefix(5)) == Array(old.prefix(5)) && order.ids.filter(old.contains) == old)
        #expect(Set(order.ids) == Set(old + new) && order.ids.count == 30)
        #expect(order.index(of: "e25").map { order.ids[$0] } == "e25")
        var end = EntryOrder(old)
        end.scatter(["x"], from: 99, using: &generator)
        #expect(end.ids == old + ["x"])
    }

    @Test("over many orders, a scattered id is as often in the first half as in the second, and before another one as after it")
    func uniform() {
        var generator = SplitMix64(state: 7)
        var (early, before) = (0, 0)
        for _ in 0..<2_000 {
            var order = EntryOrder((1...9).map { "e\($0)" })
            order.scatter(["e10", "e11"], from: 0, using: &generator)
            let (first, second) = (order.index(of: "e10") ?? 0, order.index(of: "e11") ?? 0)
            early += first < 5 ? 1 : first == 5 ? 0 : -1
            before += first < second ? 1 : -1
        }
        #expect(abs(early) < 200 && abs(before) < 200)
    }
}
