import PlaybackEngine

/// The pictures of a playlist's items that were used or added last. The cache is limited, because a queue may have ten thousand entries, each with a
/// picture of many megabytes.
struct ArtworkCache {
    /// The limit of all pictures, in bytes. The newest picture is kept even if it exceeds the limit.
    static let capacity = 32 << 20

    /// The pictures, least recently used first. The items of an album share one picture.
    private var pictures: [(artwork: Artwork, items: Set<String>)] = []
    private(set) var byteCount = 0

    /// Returns the picture of an item, if it is cached, and marks it as used.
    mutating func artwork(of item: String) -> Artwork? {
        guard let index = pictures.firstIndex(where: { $0.items.contains(item) }) else { return nil }
        let picture = pictures.remove(at: index)
        pictures.append(picture)
        return picture.artwork
    }

    /// Adds the picture of an item. Beyond `capacity`, removes the least recently used pictures.
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

    /// Removes items that no longer exist, and pictures without an item.
    mutating func remove(where isGone: (String) -> Bool) {
        for index in pictures.indices {
            let gone = pictures[index].items.filter(isGone)
            if !gone.isEmpty { pictures[index].items.subtract(gone) }
        }
        pictures.removeAll { $0.items.isEmpty }
        byteCount = pictures.reduce(0) { $0 + $1.artwork.data.count }
    }
}
