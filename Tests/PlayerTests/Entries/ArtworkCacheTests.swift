import PlaybackEngine
import Testing

@testable import Player

@Suite("Artwork cache")
struct ArtworkCacheTests {
    private func picture(_ first: UInt8, megabytes: Int) -> Artwork {
        Artwork(mimeType: "image/png", data: [first] + [UInt8](repeating: 0, count: (megabytes << 20) - 1))
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

    @Test("a new picture of an entry replaces its former one, and one that was removed for others is gone")
    func replaced() {
        var cache = ArtworkCache()
        cache.insert(picture(1, megabytes: 1), of: "a")
        cache.insert(picture(2, megabytes: 2), of: "a")
        #expect(cache.artwork(of: "a")?.data.first == 2)
        cache.insert(picture(3, megabytes: 32), of: "b")
        #expect(cache.byteCount == 32 << 20 && cache.artwork(of: "a") == nil && cache.artwork(of: "b") != nil)
    }
}
