import PlaybackEngine
import Testing

@testable import Player

@Suite("Media facts cache")
struct MediaFactsCacheTests {
    private func facts(_ text: String) -> MediaFacts { MediaFacts(metadata: [MetadataEntry(key: "comment", value: text)]) }

    @Test("facts are kept up to 16 MiB in total: the oldest are evicted, and the newest always stays")
    func bounded() {
        var cache = MediaFactsCache()
        let large = String(repeating: "x", count: 1 << 20)
        for number in 0..<20 {
            cache.insert(facts("\(number)" + large), of: "e\(number)")
            #expect(cache.byteCount <= MediaFactsCache.capacity)
        }
        #expect(cache["e0"] == nil)
        #expect(cache["e19"] != nil)
        cache.insert(facts(String(repeating: "x", count: MediaFactsCache.capacity + 1)), of: "huge")
        #expect(cache["huge"] != nil)
        #expect(cache["e19"] == nil)
    }

    @Test("facts are removed with their item, and replaced by newer ones")
    func removed() {
        var cache = MediaFactsCache()
        cache.insert(facts("a"), of: "e1")
        cache.insert(facts("b"), of: "e1")
        cache.insert(facts("c"), of: "e2")
        #expect(cache["e1"] == facts("b"))
        cache.remove { $0 == "e1" }
        #expect(cache["e1"] == nil)
        cache.remove { _ in true }
        #expect(cache.byteCount == 0)
    }

    @Test("title, artist and album are truncated to 1 KiB between two characters")
    func shownText() {
        #expect(PlayerState.Item.text(nil) == nil)
        #expect(PlayerState.Item.text(String(repeating: "x", count: 1024)) == String(repeating: "x", count: 1024))
        #expect(PlayerState.Item.text(String(repeating: "x", count: 1025)) == String(repeating: "x", count: 1024))
        #expect(PlayerState.Item.text("x" + String(repeating: "😀", count: 256)) == "x" + String(repeating: "😀", count: 255))
        #expect(PlayerState.Item.text("xx" + String(repeating: "é", count: 512)) == "xx" + String(repeating: "é", count: 511))
    }
}
