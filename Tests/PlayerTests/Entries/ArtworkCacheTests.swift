import PlaybackEngine
import Testing

@testable import Player

@Suite("Artwork cache")
struct ArtworkCacheTests {
    private func picture(_ first: UInt8, megabytes: Int) -> Artwork {
        Artwork(mimeType: "image/png", data: [first] + [UInt8](repeating: 0, count: (megabytes << 20) - 1))
    }

    @Test("pictures are kept up to 32 MiB in total, and the least recently used ones are evicted")
    func bounded() {
        var cache = ArtworkCache()
        for number in 0..<6 {
            cache.insert(picture(UInt8(number), megabytes: 10), of: "e\(number)")
            #expect(cache.byteCount <= ArtworkCache.capacity)
            _ = cache.artwork(of: "e0")
        }
        #expect((0..<6).map { cache.artwork(of: "e\($0)")?.data.first } == [0, nil, nil, nil, 4, 5])
        #expect(cache.byteCount == 30 << 20)
    }

    @Test("entries with the same picture share its memory")
    func shared() {
        var cache = ArtworkCache()
        for number in 0..<100 { cache.insert(picture(7, megabytes: 1), of: "e\(number)") }
        #expect(cache.byteCount == 1 << 20)
        cache.remove { $0 != "e99" }
        #expect(cache.artwork(of: "e99")?.data.first == 7)
        cache.remove { _ in true }
        #expect(cache.byteCount == 0)
    }

    @Test("a picture larger than the capacity is still kept, alone")
    func large() {
        var cache = ArtworkCache()
        cache.insert(picture(1, megabytes: 1), of: "a")
        cache.insert(picture(2, megabytes: 40), of: "b")
        #expect(cache.artwork(of: "a") == nil)
        #expect(cache.artwork(of: "b") != nil)
    }

    @Test("a new picture of an item replaces its former one")
    func replaced() {
        var cache = ArtworkCache()
        cache.insert(picture(1, megabytes: 1), of: "a")
        cache.insert(picture(2, megabytes: 2), of: "a")
        #expect(cache.artwork(of: "a")?.data.first == 2)
        #expect(cache.byteCount == 2 << 20)
    }
}
