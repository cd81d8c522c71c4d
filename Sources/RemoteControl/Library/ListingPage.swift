import Platform

/// A page of a listing as a JSON document.
struct ListingPage: Sendable {
    private let listing: MediaLibrary.Listing
    private let summaries: [FileIdentity: MediaSummary]

    init(_ listing: MediaLibrary.Listing, _ summaries: [FileIdentity: MediaSummary]) {
        self.listing = listing
        self.summaries = summaries
    }

    static func media(_ listing: MediaLibrary.Listing) -> [MediaSummaryReader.File] {
        listing.entries.compactMap { $0.kind == .audio ? $0.file : nil }
    }

    private var isComplete: Bool { Self.media(listing).allSatisfy { summaries[$0.identity] != nil } }

    var json: [UInt8] {
        JSONWriter.object(capacity: 192 + listing.entries.count * 320) { writer in
            writer.member("path", ifPresent: listing.path?.reference)
            writer.member("parent", ifPresent: listing.parent?.reference)
            writer.member("count", listing.count)
            writer.member("offset", listing.offset)
            writer.member("entries", array: listing.entries) { writer, entry in writer.object { write(entry, &$0) } }
            writer.member("next", ifPresent: listing.next?.text)
            writer.member("isTruncated", listing.isTruncated)
            writer.member("isComplete", isComplete)
        }
    }

    private func write(_ entry: MediaLibrary.Entry, _ writer: inout JSONWriter) {
        writer.member("name", entry.name)
        writer.member("path", entry.path.reference)
        writer.member("kind", entry.kind.rawValue)
        guard let file = entry.file else { return }
        writer.member("url", entry.path.url)
        writer.member("size", file.identity.size)
        guard let summary = summaries[file.identity] else { return }
        writer.member("title", ifPresent: summary.title)
        writer.member("artist", ifPresent: summary.artist)
        writer.member("album", ifPresent: summary.album)
        writer.member("duration", ifPresent: summary.duration)
        writer.member("pictureId", ifPresent: summary.pictureID)
    }
}
