import Platform
import PlaybackEngine

/// The controller of the facts about the server: its identity, its health, its clock, its contract (openapi.yaml) and its kinds of problems.
struct ServiceController: Sendable {
    let information: ServerInformation
    let capabilities: [ServerInformation.Capability]
    let clock: any HostClock
    let wallClock: any WallClock
    let readiness: @Sendable () -> String?
    let description: DescriptionFiles

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

    func contract(_ request: RouteRequest) throws(Problem) -> Route.Outcome { description(.yaml, for: request) }

    func contractAsJSON(_ request: RouteRequest) throws(Problem) -> Route.Outcome { description(.json, for: request) }

    private func description(_ form: DescriptionFiles.Form, for request: RouteRequest) -> Route.Outcome {
        let file = description.file(form, host: request.fields.hosts.first ?? "", prefix: request.prefix)
        return .now(WebController.response(file, request.fields))
    }

    /// The target of a problem's `type` (RFC 9457, section 3.1.1).
    func problemType(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        let name = request.variable("code")
        guard let code = ProblemCode.all.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            throw Problem(.notFound, "There is no problem with this code. /openapi.yaml lists the codes.")
        }
        let page = ProblemPage(code: code).html
        return .now(HTTPResponse(status: 200, contentType: "text/html; charset=utf-8", cache: .revalidate, body: Array(page.utf8)))
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

    /// Nil if the server knows, without blocking, that no such file exists.
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

/// The page about a kind of problem, in HTML. A problem's `type` leads to it (RFC 9457, section 3.1.1).
struct ProblemPage {
    let code: ProblemCode

    var html: String {
        let title = Self.escaped(code.title.unicodeScalars)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <title>\(title)</title>
            <h1>\(title)</h1>
            <p>\(Self.markup(code.explanation))</p>
            <p>Code <code>\(Self.escaped(code.name.unicodeScalars))</code>, status \(code.status).</p>
            </html>

            """
    }

    /// Text between two backquotes becomes code.
    static func markup(_ text: String) -> String {
        let parts = text.unicodeScalars.split(separator: "`", omittingEmptySubsequences: false).map(escaped)
        return parts.indices.map { index in
            if index.isMultiple(of: 2) { return parts[index] }
            return index == parts.count - 1 ? "`" + parts[index] : "<code>\(parts[index])</code>"
        }.joined()
    }

    private static func escaped(_ text: some Sequence<Unicode.Scalar>) -> String {
        text.map { scalar in
            switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            default: String(scalar)
            }
        }.joined()
    }
}
