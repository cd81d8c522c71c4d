import Platform
import PlaybackEngine
import Playlist

/// The difference between two queues in rows of the table `entry`: entries that were removed, and entries that are new or have changed.
struct QueueDifference {
    private(set) var removed: [PlaylistEntry] = []
    private(set) var written: [PlaylistEntry] = []
    /// Whether the new queue contains no entry of the former queue.
    private(set) var replacesAll = false

    /// Compares two queues. Entries with the same id have the same row.
    init(from former: [PlaylistEntry], to new: [PlaylistEntry]) {
        // Most edits change a few neighbouring entries, so the entries with equal ids at the start and at the end of both queues are compared in
        // pairs first.
        var start = 0
        while start < former.count, start < new.count, former[start].id == new[start].id {
            if !former[start].spec.isSame(as: new[start].spec) { written.append(new[start]) }
            start += 1
        }
        var (formerEnd, newEnd) = (former.count, new.count)
        while formerEnd > start, newEnd > start, former[formerEnd - 1].id == new[newEnd - 1].id {
            if !former[formerEnd - 1].spec.isSame(as: new[newEnd - 1].spec) { written.append(new[newEnd - 1]) }
            formerEnd -= 1
            newEnd -= 1
        }
        guard start < formerEnd || start < newEnd else { return }
        var rest = Dictionary(former[start..<formerEnd].map { ($0.id, $0) }) { first, _ in first }
        for entry in new[start..<newEnd] {
            if let old = rest.removeValue(forKey: entry.id), old.spec.isSame(as: entry.spec) { continue }
            written.append(entry)
        }
        removed = former[start..<formerEnd].filter { rest[$0.id] != nil }
        replacesAll = !removed.isEmpty && removed.count == former.count
    }
}

extension EntrySpec {
    /// Whether two specifications are equal. Texts are compared as bytes, because they come from clients.
    fileprivate func isSame(as other: EntrySpec) -> Bool {
        func same(_ a: String?, _ b: String?) -> Bool {
            guard let a, let b else { return a == nil && b == nil }
            return a.utf8.elementsEqual(b.utf8)
        }
        switch (source.location, other.source.location) {
        case (.file(let a), .file(let b)): if a != b { return false }
        case (.remote(let a), .remote(let b)): if !same(a, b) { return false }
        default: return false
        }
        guard startTime == other.startTime, listedDuration == other.listedDuration, publicationDate == other.publicationDate else { return false }
        return same(url, other.url) && same(title, other.title) && same(picture, other.picture) && failure?.code == other.failure?.code
            && same(failure?.message, other.failure?.message) && source.followsLinks == other.source.followsLinks
            && source.allowsPrivateAddresses == other.source.allowsPrivateAddresses
            && source.prefersPreciseDuration == other.source.prefersPreciseDuration
    }
}
