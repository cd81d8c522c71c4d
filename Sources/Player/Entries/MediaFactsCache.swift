import Platform
import PlaybackEngine

/// A cache of the metadata and chapters of the items that were opened last. The size of the cache is limited, because a medium may have a megabyte of
/// tags, and a queue may have ten thousand entries.
struct MediaFactsCache {
    /// The limit of the size of all cached text together, in bytes. The text of the newest medium is kept even if it exceeds the limit.
    static let capacity = 16 << 20

    private struct Entry {
        let facts: MediaFacts
        let size: Int
        let number: Int
    }
    private var entries: [String: Entry] = [:]
    private var newest = 0
    private(set) var byteCount = 0

    subscript(item: String) -> MediaFacts? { entries[item]?.facts }

    /// Adds the facts (metadata and chapters) of an item to the cache. If the cached text exceeds `capacity`, the oldest facts are removed.
    mutating func insert(_ facts: MediaFacts, of item: String) {
        remove { $0 == item }
        newest += 1
        let size = Self.size(of: facts)
        entries[item] = Entry(facts: facts, size: size, number: newest)
        byteCount += size
        while byteCount > Self.capacity, entries.count > 1, let oldest = entries.min(by: { $0.value.number < $1.value.number }) {
            entries[oldest.key] = nil
            byteCount -= oldest.value.size
        }
    }

    /// Removes the facts (metadata and chapters) of the items for which `isGone` is true.
    mutating func remove(where isGone: (String) -> Bool) {
        for (item, entry) in entries where isGone(item) {
            entries[item] = nil
            byteCount -= entry.size
        }
    }

    private static func size(of facts: MediaFacts) -> Int {
        facts.metadata.reduce(0) { $0 + 64 + $1.key.utf8.count + $1.value.utf8.count } + facts.chapters.reduce(0) { $0 + 64 + $1.title.utf8.count }
    }
}
