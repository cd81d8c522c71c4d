/// Answers with a file or a picture: plain or compressed (RFC 9110, sections 12.5.3 and 13). Byte ranges are not supported (section 14).
extension HTTPResponse {
    /// - Parameter gzip: The function that returns the compressed form, which has an entity tag of its own; nil if there is none.
    static func file(
        _ bytes: [UInt8], contentType: String, cache: Cache = .revalidate, entityTag: String, policy: String = SecurityHeaders.strictPolicy,
        for fields: RequestFields, gzip: (() -> [UInt8]?)? = nil
    ) -> HTTPResponse {
        let compressed = AcceptEncoding.allowsGzip(fields.acceptEncoding) ? gzip?() : nil
        let tag = compressed == nil ? entityTag : EntityTag.compressed(entityTag)
        var response: HTTPResponse
        if let known = fields.ifNoneMatch, EntityTag.noneMatchNames(known, tag) {
            response = .empty(entityTag: tag, policy: policy, cache: cache)
        } else {
            response = HTTPResponse(
                status: 200, contentType: contentType, cache: cache, entityTag: tag, policy: policy, body: compressed ?? bytes)
            if compressed != nil { response.headers.append(("Content-Encoding", "gzip")) }
        }
        if gzip != nil { response.headers.append(("Vary", "Accept-Encoding")) }
        return response
    }
}

/// The parser of `Accept-Encoding` (RFC 9110, section 12.5.3).
enum AcceptEncoding {
    /// Whether `gzip` or `*` has a weight other than 0.
    static func allowsGzip(_ field: String?) -> Bool {
        guard let field else { return false }
        var others: Bool?
        for element in field.split(separator: ",") {
            let parts = element.lowercased().split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let coding = parts.first else { continue }
            let isAllowed = !parts.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)).map { $0 <= 0 } ?? true }
            if coding == "gzip" || coding == "x-gzip" { return isAllowed }
            if coding == "*" { others = isAllowed }
        }
        return others ?? false
    }
}
