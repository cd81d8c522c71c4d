/// Sends large JSON documents in the gzip format to clients that accept it.
struct ResponseCompression: Sendable {
    /// In bytes. A smaller document fits into one packet anyway; a larger one would take too much processor time.
    static let sizes = 1 << 10...1 << 20

    typealias Function = @Sendable ([UInt8]) -> [UInt8]?

    let compress: Function?

    /// Compresses, on another thread than the main one, a JSON document of a size in `sizes` for a client that accepts it. If the route may have
    /// large answers, a JSON document and an answer 304 get the field `Vary` in any case.
    func encoded(_ response: HTTPResponse, for route: Route, _ fields: RequestFields) async -> HTTPResponse {
        guard route.method == "GET", route.hasLargeAnswer, let compress else { return response }
        var response = response
        let isJSON = response.headers.contains { $0.name == "Content-Type" && $0.value == "application/json" }
        guard isJSON || response.status == 304 else { return response }
        response.headers.append(("Vary", "Accept-Encoding"))
        guard AcceptEncoding.allowsGzip(fields.acceptEncoding), response.status == 200, case .bytes(let body) = response.body,
            Self.sizes.contains(body.count), let compressed = await Self.run(compress, body), compressed.count < body.count
        else { return response }
        response.body = .bytes(compressed)
        response.headers.append(("Content-Encoding", "gzip"))
        if let tag = response.headers.firstIndex(where: { $0.name == "ETag" }) {
            response.headers[tag].value = EntityTag.compressed(response.headers[tag].value)
        }
        return response
    }

    @concurrent private static func run(_ compress: Function, _ bytes: [UInt8]) async -> [UInt8]? { compress(bytes) }
}
