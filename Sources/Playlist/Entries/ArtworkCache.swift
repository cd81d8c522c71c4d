import PlaybackEngine

/// The pictures of a playlist's items, as many as were asked for or came last: a queue may have ten thousand entries, and each a picture of many megabytes.
struct ArtworkCache {
    /// Bytes that are kept, though always the picture that came last.
    static let capacity = 32 << 20

    /// Least recently used first. The items of an album share one.
    private var pictures: [(artwork: Artwork, items: Set<String>)] = []
    private(set) var byteCount = 0

    /// The picture of an item, if it is kept; it counts as used then.
    mutating func artwork(of item: String) -> Artwork? {
        guard let index = pictures.firstIndex(where: { $0.items.contains(item) }) else { return nil }
        let picture = pictures.remove(at: index)
        pictures.append(picture)
        return picture.artwork
    }

    /// Keeps the picture of an item, and forgets those that have not been used for longest where it becomes too much.
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

    /// Forgets the items that are gone, and pictures that are nobody's any more.
    mutating func remove(where isGone: (String) -> Bool) {
        for index in pictures.indices {
            let gone = pictures[index].items.filter(isGone)
            if !gone.isEmpty { pictures[index].items.subtract(gone) }
        }
        pictures.removeAll { $0.items.isEmpty }
        byteCount = pictures.reduce(0) { $0 + $1.artwork.data.count }
    }
}
