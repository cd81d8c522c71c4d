import Platform

struct RemoteRequest: Sendable, Hashable {
    var method: String
    /// Path and query, percent-encoded, without a proxy's prefix.
    var target: String
    var body: String?
    /// The field `If-Match`.
    var match: String?
    var lastEventID: String?

    init(_ method: String, _ target: String, _ body: String? = nil, match: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
        self.match = match
    }

    /// The connection is closed afterwards, because a command needs only a few requests.
    func bytes(to address: RemoteAddress, token: String?) -> [UInt8] {
        var head = "\(method) \(address.prefix)\(target) HTTP/1.1\r\nHost: \(address.authority)\r\nConnection: close\r\n"
        head += "Tonearm-Client: terminal\r\nAccept-Encoding: identity\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let match { head += "If-Match: \(match)\r\n" }
        if let lastEventID { head += "Last-Event-ID: \(lastEventID)\r\n" }
        if let body { head += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n" }
        return Array((head + "\r\n" + (body ?? "")).utf8)
    }
}

/// A response with its whole body.
struct RemoteResponse: Sendable, Hashable {
    var status: Int
    var entityTag: String?
    var body: [UInt8] = []
}

/// The status, and the fields that are used.
struct RemoteResponseHead: Sendable, Hashable {
    /// In bytes.
    static let maximumSize = 16 << 10

    var status: Int
    /// In bytes; nil if the body is chunked or ends with the connection.
    var contentLength: Int?
    var isChunked = false
    var entityTag: String?

    /// RFC 9110, section 6.4.1.
    var hasNoBody: Bool { status < 200 || status == 204 || status == 304 }

    /// Parses a head, with the empty line at its end.
    init?(_ bytes: some Collection<UInt8>) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.last == 0x0D ? $0.dropLast() : $0 }
        guard let first = lines.first, first.starts(with: "HTTP/1.".utf8) else { return nil }
        let words = first.split(separator: 0x20, maxSplits: 2)
        guard words.count >= 2, words[1].count == 3, let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100 else { return nil }
        self.status = status
        for line in lines.dropFirst() where !line.isEmpty {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
            let name = String(decoding: line[..<colon], as: UTF8.self)
            let value = String(decoding: line[line.index(after: colon)...].drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
            if name.utf8.equalsIgnoringCase("content-length") {
                guard let length = Int(value), length >= 0, contentLength == nil || contentLength == length else { return nil }
                contentLength = length
            } else if name.utf8.equalsIgnoringCase("transfer-encoding") {
                isChunked = true
            } else if name.utf8.equalsIgnoringCase("etag") {
                guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
                entityTag = value
            }
        }
    }
}
