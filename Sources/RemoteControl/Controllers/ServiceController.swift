import Platform
import PlaybackEngine

/// The controller of the facts about the server: its identity, its health, its clock and its contract (openapi.yaml).
struct ServiceController: Sendable {
    let information: ServerInformation
    let capabilities: [ServerInformation.Capability]
    let clock: any HostClock
    let wallClock: any WallClock
    let readiness: @Sendable () -> String?
    let description: APIDescription

    func server(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .now(
            .json(
                JSONWriter.object { writer in
                    writer.member("name", information.name)
                    writer.member("id", information.id)
                    writer.member("version", information.version)
                    writer.member("capabilities", array: capabilities) { $0.string($1.rawValue) }
                }))
    }

    func health(_ request: RouteRequest) throws(Problem) -> Route.Outcome { .now(Self.ok) }

    func ready(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        if let reason = readiness() { throw Problem(.notReady, reason) }
        return .now(Self.ok)
    }

    func clock(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        .now(
            .json(
                JSONWriter.object { writer in
                    writer.member("hostTime", clock.now.seconds)
                    writer.member("date", RFC3339.text(wallClock.secondsSince1970))
                }))
    }

    func contract(_ request: RouteRequest) throws(Problem) -> Route.Outcome { contract(description.yaml, "application/yaml", for: request) }

    func contractAsJSON(_ request: RouteRequest) throws(Problem) -> Route.Outcome { contract(description.json, "application/json", for: request) }

    private func contract(_ text: [UInt8], _ contentType: String, for request: RouteRequest) -> Route.Outcome {
        let bytes = APIDescription.addressed(text, host: request.fields.hosts.first ?? "", prefix: request.prefix)
        return .now(WebController.response(StaticFiles.File(contentType: contentType, bytes: bytes), request.fields))
    }

    private static let ok = HTTPResponse.json(JSONWriter.object { $0.member("status", "ok") })
}

/// The facts about the server that `GET /api/v1` returns.
public struct ServerInformation: Sendable {
    /// A part of the API that not every server offers.
    public enum Capability: String, Sendable, CaseIterable {
        /// The feature that clients may choose the output (`setOutput`).
        case outputChoice
        /// The feature that the server scales pictures (`getArtwork` with `size`).
        case artworkScaling
        /// The feature that clients may browse folders (`listLibrary`), because at least one media root is set.
        case library
        /// The feature that requests need a token.
        case authentication
    }

    /// The name of the player that is shown to users.
    public var name: String
    /// The identifier of the player, by which clients distinguish several players. It stays the same while the player's saved state is kept.
    public var id: String
    /// The version of the program `tonearm`.
    public var version: String

    public init(name: String, id: String, version: String) {
        self.name = name
        self.id = id
        self.version = version
    }
}

struct WebController: Sendable {
    let web: StaticFiles
    let files: FileQueue

    func page(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        outcome("/", request.fields) ?? .now(Problem(.notFound, "This server has no web remote.").response)
    }

    /// Answers with a file of the web remote; nil if the server knows, without blocking, that no such file exists.
    func outcome(_ path: String, _ fields: RequestFields) -> Route.Outcome? {
        guard web.mayBlock else {
            return web.file(path).map { .now(Self.response($0, fields)) }
        }
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await files.run { () throws(Problem) -> HTTPResponse in
                guard let file = web.file(path) else { throw Problem(.notFound, "There is no file with this name.") }
                return Self.response(file, fields)
            }
        }
    }

    static func response(_ file: StaticFiles.File, _ fields: RequestFields) -> HTTPResponse {
        .file(
            file.bytes, contentType: file.contentType, cache: file.cache, entityTag: file.entityTag, policy: SecurityHeaders.pagePolicy,
            for: fields, gzip: file.gzip)
    }
}
