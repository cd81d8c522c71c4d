import PlaybackEngine
import Testing

@testable import Playlist

@Suite("What media say of themselves")
struct FactsCacheTests {
    private func facts(_ number: Int, kilobytes: Int) -> MediaFacts {
        MediaFacts(metadata: [MetadataEntry(key: "comment", value: "\(number)" + String(repeating: "x", count: kilobytes << 10))])
    }

    @Test("is kept up to 16 MiB in all: of the entries that were opened first it is forgotten")
    func bounded() {
        var cache = FactsCache()
        for number in 0..<60 {
            cache.insert(facts(number, kilobytes: 1024), of: "e\(number)")
            #expect(cache.byteCount <= FactsCache.capacity)
        }
        #expect((0..<60).filter { cache["e\($0)"] != nil } == Array(45..<60))
    }

    @Test("is kept of the entry that was opened last, however much it is")
    func last() {
        var cache = FactsCache()
        cache.insert(facts(1, kilobytes: 10), of: "small")
        cache.insert(facts(2, kilobytes: 20 << 10), of: "large")
        #expect(cache["small"] == nil && cache["large"] != nil)
    }

    @Test("counts once for an entry that is opened again, and not at all for one that is gone")
    func again() {
        var cache = FactsCache()
        for _ in 0..<100 { cache.insert(facts(1, kilobytes: 1024), of: "a") }
        cache.insert(facts(2, kilobytes: 1024), of: "b")
        #expect(cache.byteCount < 3 << 20)
        cache.remove { $0 == "a" }
        #expect(cache["a"] == nil && cache.byteCount < 2 << 20)
        cache.remove { _ in true }
        #expect(cache.byteCount == 0)
    }
}
