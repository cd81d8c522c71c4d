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

/// A cache of the pictures of a playlist's items: the pictures that were used or added last. The size of the cache is limited, because a queue may
/// have ten thousand entries, each with a picture of many megabytes.
struct ArtworkCache {
    /// The limit of the size of all cached pictures together, in bytes. The newest picture is kept even if it exceeds the limit.
    static let capacity = 32 << 20

    /// The cached pictures, the least recently used first, each with the ids of the items that have the picture. The items of an album
    /// share one picture.
    private var pictures: [(artwork: Artwork, items: Set<String>)] = []
    private(set) var byteCount = 0

    /// Returns the cached picture of an item, and marks the picture as used. Returns nil if the cache does not contain the item's picture.
    mutating func artwork(of item: String) -> Artwork? {
        guard let index = pictures.firstIndex(where: { $0.items.contains(item) }) else { return nil }
        let picture = pictures.remove(at: index)
        pictures.append(picture)
        return picture.artwork
    }

    /// Adds the picture of an item to the cache. If the pictures exceed `capacity`, the least recently used pictures are removed.
    mutating func insert(_ artwork: Artwork, of item: String) {
        remove { $0 == item }
        if let index = pictures.firstIndex(where: { $0.artwork == artwork }) {
            var picture = pictures.remove(at: index)
            picture.items.insert(item)
            pictures.append(picture)
            return
        }
        pictures.append((artwork, [item]))
        byteCount += artwork.data.count
        while byteCount > Self.capacity, pictures.count > 1 { byteCount -= pictures.removeFirst().artwork.data.count }
    }

    /// Removes the ids of the items for which `isGone` is true from the cache, and the pictures that no longer belong to any item.
    mutating func remove(where isGone: (String) -> Bool) {
        for index in pictures.indices {
            let gone = pictures[index].items.filter(isGone)
            if !gone.isEmpty { pictures[index].items.subtract(gone) }
        }
        pictures.removeAll { $0.items.isEmpty }
        byteCount = pictures.reduce(0) { $0 + $1.artwork.data.count }
    }
}
