struct WebController: Sendable {
    let web: StaticFiles
    let files: FileQueue

    func page(_ request: RouteRequest) throws(Problem) -> Route.Outcome {
        outcome("/", request.request.method, request.fields) ?? .now(Problem(.notFound, "This server has no web remote.").response)
    }

    /// Nil if the server knows, without blocking, that no such file exists.
    func outcome(_ path: String, _ method: String, _ fields: RequestFields) -> Route.Outcome? {
        guard web.mayBlock else {
            return web.file(path).map { .now(Self.response($0, method, fields)) }
        }
        return .elsewhere { () throws(Problem) -> HTTPResponse in
            try await files.run { () throws(Problem) -> HTTPResponse in
                guard let file = web.file(path) else { throw Problem(.notFound, "There is no file with this name.") }
                return Self.response(file, method, fields)
            }
        }
    }

    static func response(_ file: StaticFiles.File, _ method: String, _ fields: RequestFields) -> HTTPResponse {
        .file(
            file.bytes, contentType: file.contentType, cache: file.cache, entityTag: file.entityTag, policy: SecurityHeaders.pagePolicy,
            method: method,
            fields: fields, gzip: file.gzip)
    }
}
