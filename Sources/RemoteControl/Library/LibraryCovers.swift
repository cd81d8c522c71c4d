import Platform
import PlaybackEngine
import Player

struct LibraryCovers: Sendable {
    /// The time limit for one picture, in seconds.
    static let patience = 10.0

    let locator: MediaLocator
    let opener: any MediaOpener
    let pictures: ScaledPictures
    let files: FileQueue
    let clock: any HostClock
    let scheduler: any MainScheduler

    /// The source of a file. Throws if clients may not play it.
    func source(_ path: AbsolutePath) async throws(Problem) -> MediaSource {
        try await locator.file(path, title: nil, pointer: "", isTrusted: false, keepsUnplayable: false).source
    }

    /// Answers with the picture of a file. If a listing has read the file, the identifier of its picture is known. Then the file is not opened for a
    /// 304 or a cached scaled picture.
    func response(to request: RouteRequest, _ source: MediaSource, size: Int?, _ summaries: MediaSummaryReader) async throws(Problem) -> HTTPResponse
    {
        let client = request.request.peer.network
        if let id = await knownID(of: source, client, summaries) {
            let isKnown = request.fields.ifNoneMatch.map { EntityTag.noneMatchNames($0, Self.tag(id, size)) } ?? false
            if isKnown { return Self.response(Artwork(mimeType: "", data: []), id, size, request) }
            if let size, let picture = pictures.known(Self.key(id), size: size) { return Self.response(picture, id, size, request) }
        }
        guard let picture = try await read(source, client) else { throw Problem(.artworkNotFound, "The file has no picture.") }
        let id = MediaSummary.pictureID(picture.data)
        guard let size else { return Self.response(picture, id, nil, request) }
        return Self.response(try await pictures.picture(of: Self.key(id), size: size, for: client) { picture }, id, size, request)
    }

    /// The identifier of the picture; nil if no listing has read the file.
    private func knownID(of source: MediaSource, _ client: String, _ summaries: MediaSummaryReader) async -> String? {
        guard case .file(let file) = source.location, let path = try? AbsolutePath(bytes: file.bytes) else { return nil }
        let confinement = locator.confinement
        let identity = try? await files.run(for: client) { () throws(Problem) -> FileIdentity? in
            try FileIdentity(confinement.open(path).file.status)
        }
        guard let identity else { return nil }
        return await summaries.known(identity)?.pictureID
    }

    /// Reads the picture of a file. The timer runs on the main actor; the opening does not.
    @MainActor private func read(_ source: MediaSource, _ client: String) async throws(Problem) -> Artwork? {
        let interrupt = Interrupt()
        let timer = scheduler.schedule(at: clock.now + Self.patience) { interrupt.raise() }
        defer { timer.cancel() }
        return try await files.run(for: client) { [opener] () throws(Problem) -> Artwork? in
            do throws(PlaybackError) {
                return try opener.open(source, interrupt: interrupt).info.artwork
            } catch {
                throw Problem(PlayerState.Failure(code: error.code, message: error.message, reason: error.reason))
            }
        }
    }

    private static func key(_ id: String) -> String { "library " + id }

    private static func tag(_ id: String, _ size: Int?) -> String { "\"" + id + (size.map { "?size=\($0)" } ?? "") + "\"" }

    private static func response(_ picture: Artwork, _ id: String, _ size: Int?, _ request: RouteRequest) -> HTTPResponse {
        .file(picture.data, contentType: ItemController.contentType(picture.mimeType), entityTag: tag(id, size), for: request.fields)
    }
}
