import Platform
import PlaybackEngine

/// The pictures of the entries that were used or inserted last: not all fit, because a queue may have 100,000 entries, each with a picture of
/// many megabytes. The entries of an album share one copy of their picture.
struct ArtworkCache {
    /// The greatest size of all pictures together, in bytes.
    static let capacity = 32 << 20

    private var pictures = RecentlyUsed<Int, Artwork>(maximumCost: capacity)
    /// The keys in `pictures`, by the entry's id.
    private var numbers: [String: Int] = [:]
    private var newest = 0

    var byteCount: Int { pictures.cost }

    mutating func artwork(of item: String) -> Artwork? {
        guard let number = numbers[item] else { return nil }
        return pictures[number]
    }

    mutating func insert(_ artwork: Artwork, of item: String) {
        if let number = pictures.key(where: { $0 == artwork }) {
            numbers[item] = number
            _ = pictures[number]
        } else {
            newest += 1
            numbers[item] = newest
            pictures.insert(artwork, for: newest, cost: artwork.data.count)
        }
    }

    mutating func remove(where isGone: (String) -> Bool) {
        numbers = numbers.filter { !isGone($0.key) }
        let used = Set(numbers.values)
        pictures.remove { !used.contains($0) }
    }
}
