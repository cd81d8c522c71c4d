import Platform

extension MediaLibrary.Listing {
    /// Returns the path of an entry.
    func path(of entry: MediaLibrary.Entry) -> AbsolutePath {
        if let path = entry.path { return path }
        guard let path else { preconditionFailure("The entries of the list of the roots have paths.") }
        return path.appending(entry.name)
    }

    /// A page with the summaries of its media that are known.
    struct Page: Sendable {
        var listing: MediaLibrary.Listing
        var summaries: [FileIdentity: MediaSummary] = [:]

        /// The media of the page.
        var media: [MediaSummaryReader.File] { listing.entries.compactMap { $0.kind == .audio ? listing.file($0) : nil } }
        /// Whether all media of the page have been read.
        var isComplete: Bool { listing.entries.allSatisfy { $0.kind != .audio || $0.identity.map { summaries[$0] != nil } ?? true } }
    }

    private func file(_ entry: MediaLibrary.Entry) -> MediaSummaryReader.File? {
        guard let identity = entry.identity, let path = entry.resolved ?? real?.appending(entry.name) else { return nil }
        return MediaSummaryReader.File(identity: identity, path: path)
    }
}

extension MediaLibrary.Listing.Page {
    var json: [UInt8] {
        JSONWriter.object(capacity: 256 + listing.entries.count * 320) { writer in
            writer.member("path", ifPresent: listing.path?.address)
            writer.member("parent", ifPresent: listing.parent?.address)
            writer.member("count", listing.count)
            writer.member("offset", listing.offset)
            writer.member("entries", array: listing.entries) { writer, entry in writer.object { write(entry, &$0) } }
            writer.member("next", ifPresent: listing.next?.text)
            writer.member("isTruncated", listing.count - MediaLibrary.maximumEntries > MediaLibrary.maximumOffset)
            writer.member("isComplete", isComplete)
        }
    }

    private func write(_ entry: MediaLibrary.Entry, _ writer: inout JSONWriter) {
        let path = listing.path(of: entry)
        writer.member("name", path.name)
        writer.member("path", path.address)
        writer.member("kind", entry.kind.rawValue)
        guard let identity = entry.identity else { return }
        writer.member("url", path.url)
        writer.member("size", identity.size)
        guard let summary = summaries[identity] else { return }
        writer.member("title", ifPresent: summary.title)
        writer.member("artist", ifPresent: summary.artist)
        writer.member("album", ifPresent: summary.album)
        writer.member("duration", ifPresent: summary.duration)
        writer.member("pictureId", ifPresent: summary.pictureID)
    }
}
