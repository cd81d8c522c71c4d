import Platform
import PlaybackEngine
import Playlist

/// The controller that lists the media roots and their folders, with what is known of the media.
struct LibraryController: Sendable {
    /// The permitted numbers of entries in an answer; the largest is used if a request gives none.
    static let limits = 1...MediaLibrary.maximumEntries

    let library: MediaLibrary
    let files: FileQueue
    let summaries: MediaSummaryReader
    let covers: LibraryCovers
    let maximumWait: Double

    func list(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let path = try Self.path(request.target.parameter("path"))
        let offset = try request.target.integer("offset", in: 0...MediaLibrary.maximumEntries) ?? 0
        let limit = try request.target.integer("limit", in: Self.limits) ?? Self.limits.upperBound
        let wait = min(try request.target.number("wait", in: 0...PlayerController.longestWait) ?? 0, maximumWait)
        let client = request.request.peer.network
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            var page = try await files.run(for: client) { () throws(Problem) -> MediaLibrary.Listing.Page in
                do throws(Problem) {
                    let listing = if let path { try library.list(path) } else { library.top() }
                    let start = min(offset, listing.entries.count)
                    return MediaLibrary.Listing.Page(listing: listing, range: start..<min(start + limit, listing.entries.count))
                } catch {
                    throw error.inParameter("path")
                }
            }
            page.summaries = await summaries.summaries(of: page.media, patience: wait)
            return .json(page.json)
        }
    }

    /// Returns the parameter `path`; nil if the request does not have it.
    private static func path(_ given: String?) throws(Problem) -> AbsolutePath? {
        guard let given else { return nil }
        do throws(AbsolutePath.Fault) { return try AbsolutePath(given) } catch {
            let tooLong = ProblemCode.tooLong(given, limit: AbsolutePath.maximumLength, otherwise: .invalidParameter)
            throw Problem(error == .notAbsolute ? .invalidParameter : tooLong, error.sentence, parameter: "path")
        }
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
