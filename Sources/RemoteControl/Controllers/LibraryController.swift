import Platform
import PlaybackEngine
import Player

/// The controller that lists the media roots and their folders, with the known facts about the media, and answers with the pictures of files.
struct LibraryController: Sendable {
    /// The permitted numbers of entries in an answer; the largest is used if a request gives no number.
    static let limits = 1...MediaLibrary.maximumEntries

    let library: MediaLibrary
    let files: FileQueue
    let summaries: MediaSummaryReader
    let covers: LibraryCovers
    let maximumWait: Double

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let path = try Self.path(request.target.parameter("path"))
        let cursor = try Self.cursor(request.target.parameter("after"))
        let offset = try request.target.integer("offset", in: 0...MediaLibrary.maximumEntries) ?? 0
        let limit = try request.target.integer("limit", in: Self.limits) ?? Self.limits.upperBound
        let wait = min(try request.target.number("wait", in: 0...PlayerController.longestWait) ?? 0, maximumWait)
        let client = request.request.peer.network
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let listing = try await files.run(for: client) { () throws(Problem) -> MediaLibrary.Listing in
                guard let path else { return library.top(offset: offset, limit: limit) }
                do throws(Problem) { return try library.list(path, after: cursor, offset: offset, limit: limit) } catch {
                    throw error.inParameter("path")
                }
            }
            let page = ListingPage(listing, await summaries.summaries(of: ListingPage.media(listing), patience: wait))
            return .json(page.json)
        }
    }

    private static func path(_ given: String?) throws(Problem) -> AbsolutePath? {
        guard let given else { return nil }
        do throws(AbsolutePath.Fault) { return try AbsolutePath(reference: given) } catch {
            let tooLong = ProblemCode.tooLong(given, limit: AbsolutePath.maximumLength, otherwise: .invalidParameter)
            throw Problem(error == .notAbsolute ? .invalidParameter : tooLong, error.sentence, parameter: "path")
        }
    }

    private static func cursor(_ given: String?) throws(Problem) -> MediaLibrary.Cursor? {
        guard let given else { return nil }
        guard let cursor = MediaLibrary.Cursor(given) else {
            throw Problem(.invalidParameter, "\"after\" must be \"next\" of a page, or a percent-encoded name.", parameter: "after")
        }
        return cursor
    }

    // MARK: Artwork

    func artwork(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        guard let path = try Self.path(request.target.parameter("path")) else {
            throw Problem(.invalidParameter, "The parameter \"path\" is required.", parameter: "path")
        }
        let size = try request.target.integer("size", in: ScaledPictures.sizes)
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            let source: MediaSource
            do throws(Problem) {
                source = try await covers.source(path)
            } catch {
                throw error.inParameter("path")
            }
            return try await covers.response(to: request, source, size: size, summaries)
        }
    }
}

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
