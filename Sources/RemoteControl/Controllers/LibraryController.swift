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
        let part = MediaLibrary.Part(
            after: try Self.position(request.target.parameter("after")),
            offset: try request.target.integer("offset", in: 0...MediaLibrary.maximumOffset) ?? 0,
            limit: try request.target.integer("limit", in: Self.limits) ?? Self.limits.upperBound)
        let wait = min(try request.target.number("wait", in: 0...PlayerController.longestWait) ?? 0, maximumWait)
        let client = request.request.peer.network
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            var page = try await files.run(for: client) { () throws(Problem) -> MediaLibrary.Listing.Page in
                do throws(Problem) {
                    return MediaLibrary.Listing.Page(
                        listing: try path.map { path throws(Problem) in try library.list(path, part) } ?? library.top(part))
                } catch {
                    throw error.inParameter("path")
                }
            }
            page.summaries = await summaries.summaries(of: page.media, patience: wait)
            return .json(page.json)
        }
    }

    /// Returns the parameter `path`, an absolute path or a `file:` URL; nil if the request does not have it.
    private static func path(_ given: String?) throws(Problem) -> AbsolutePath? {
        guard let given else { return nil }
        guard given.utf8.count <= MediaLocator.maximumURLLength else {
            let code = ProblemCode.tooLong(given, limit: MediaLocator.maximumURLLength, otherwise: .invalidParameter)
            throw Problem(code, AbsolutePath.Fault.tooLong.sentence, parameter: "path")
        }
        let isURL = given.utf8.starts(with: "file:/".utf8)
        guard isURL || given.utf8.first == UInt8(ascii: "/") else {
            throw Problem(.invalidParameter, "This is neither an absolute path nor a file: URL.", parameter: "path")
        }
        do throws(Problem) {
            return try isURL ? MediaLocator.path(ofFileURL: given, pointer: "") : MediaLocator.path(given, pointer: "")
        } catch {
            throw error.inParameter("path")
        }
    }

    /// Returns the parameter `after`; nil if the request does not have it.
    private static func position(_ given: String?) throws(Problem) -> ListingPosition? {
        guard let given else { return nil }
        guard let position = ListingPosition(given) else {
            throw Problem(.invalidParameter, "This is not the \"next\" of a listing.", parameter: "after")
        }
        return position
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
