/// The web remote's files.
struct WebController: Sendable {
    let web: StaticFiles
    let files: FileQueue

    /// The page.
    func page(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        outcome("/", request.fields) ?? .now(Problem(.notFound, "This server has no web remote.").response)
    }

    /// A file beside the page; nil where it is known without blocking that there is none.
    func outcome(_ path: String, _ fields: RequestFields) -> Route.Outcome? {
        guard web.mayBlock else {
            return web.file(path).map { .now(Self.response($0, fields)) }
        }
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await files.run { () throws(Problem) -> HTTPResponse in
                guard let file = web.file(path) else { throw Problem(.notFound, "There is no file of that name.") }
                return Self.response(file, fields)
            }
        }
    }

    static func response(_ file: StaticFiles.File, _ fields: RequestFields) -> HTTPResponse {
        if let known = fields.ifNoneMatch, EntityTag.noneMatchNames(known, file.entityTag) { return .empty(entityTag: file.entityTag) }
        return HTTPResponse(
            status: 200, contentType: file.contentType, cache: .revalidate, entityTag: file.entityTag, policy: SecurityHeaders.pagePolicy,
            body: file.bytes)
    }
}
