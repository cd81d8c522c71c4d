import Platform

/// Answers with a file or a picture: whole, in part, or compressed (RFC 9110, sections 12.5.3, 13 and 14).
extension HTTPResponse {
    /// - Parameter gzip: The function that returns the compressed form, which has an entity tag of its own; nil if there is none.
    static func file(
        _ bytes: [UInt8], contentType: String, cache: Cache = .revalidate, entityTag: String, policy: String = SecurityHeaders.strictPolicy,
        for request: RouteRequest,
        gzip: (() -> [UInt8]?)? = nil
    ) -> HTTPResponse {
        file(
            bytes, contentType: contentType, cache: cache, entityTag: entityTag, policy: policy, method: request.request.method,
            fields: request.fields,
            gzip: gzip)
    }

    static func file(
        _ bytes: [UInt8], contentType: String, cache: Cache = .revalidate, entityTag: String, policy: String, method: String, fields: RequestFields,
        gzip: (() -> [UInt8]?)?
    ) -> HTTPResponse {
        // Ranges refer to the uncompressed form.
        let wantsPart = method == "GET" && fields.range != nil
        let compressed = !wantsPart && AcceptEncoding.allowsGzip(fields.acceptEncoding) ? gzip?() : nil
        let tag = compressed == nil ? entityTag : EntityTag.compressed(entityTag)
        var response: HTTPResponse
        if let known = fields.ifNoneMatch, EntityTag.noneMatchNames(known, tag) {
            response = .empty(entityTag: tag, policy: policy, cache: cache)
        } else if wantsPart, let part = part(bytes, contentType: contentType, cache: cache, entityTag: tag, policy: policy, fields: fields) {
            response = part
        } else {
            response = HTTPResponse(
                status: 200, contentType: contentType, cache: cache, entityTag: tag, policy: policy, body: compressed ?? bytes)
            if compressed != nil { response.headers.append(("Content-Encoding", "gzip")) }
            response.headers.append(("Accept-Ranges", "bytes"))
        }
        if gzip != nil { response.headers.append(("Vary", "Accept-Encoding")) }
        return response
    }

    /// The answer with status 206 or 416; nil if the whole content must be sent: another unit, several ranges, or an `If-Range` that does not match.
    private static func part(
        _ bytes: [UInt8], contentType: String, cache: Cache, entityTag: String, policy: String, fields: RequestFields
    ) -> HTTPResponse? {
        if let condition = fields.ifRange, condition != entityTag { return nil }
        guard let field = fields.range else { return nil }
        switch ByteRange.range(of: field, size: bytes.count) {
        case nil: return nil
        case .some(nil):
            var response = Problem(.rangeNotSatisfiable, "The file has \(bytes.count) bytes.").response
            response.headers.append(("Content-Range", "bytes */\(bytes.count)"))
            return response
        case .some(let range?):
            var response = HTTPResponse(
                status: 206, contentType: contentType, cache: cache, entityTag: entityTag, policy: policy, body: Array(bytes[range]))
            response.headers.append(("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"))
            return response
        }
    }
}

/// The parser of `Range` (RFC 9110, section 14.2).
enum ByteRange {
    /// The range in bytes; `.some(nil)` if the content has none of them (416); nil if the field must be ignored.
    static func range(of field: String, size: Int) -> Range<Int>?? {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].split(separator: "-", omittingEmptySubsequences: false).map { $0.filter { $0 != " " && $0 != "\t" } }
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy(\.isASCIIDigit) }) else { return nil }
        switch (ends[0].isEmpty, ends[1].isEmpty) {
        case (true, true): return nil
        case (true, false):
            let count = Int(ends[1]) ?? .max
            return count == 0 || size == 0 ? .some(nil) : max(0, size - count)..<size
        case (false, let isOpenEnded):
            let last = isOpenEnded ? Int.max : Int(ends[1]) ?? .max
            guard let first = Int(ends[0]) else { return .some(nil) }
            guard first <= last else { return nil }
            return first >= size ? .some(nil) : first..<(min(last, size - 1) + 1)
        }
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
