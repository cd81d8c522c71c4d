import Platform

/// The path below which a proxy serves this server, such as `/tonearm`. The proxy forwards the path with the prefix, which the server removes, and
/// adds to `Location` and the cookie's path in the answer. A request without the prefix is from a client that connects directly.
public struct PathPrefix: Sendable, Hashable {
    /// The path without a slash at its end; empty if there is none.
    public let text: String

    public static let none = PathPrefix(unchecked: "")
    /// The greatest length, in bytes.
    public static let maximumLength = 256

    private init(unchecked text: String) { self.text = text }

    /// Makes a prefix. Nil if the text is not a path of unreserved characters, or has a segment of dots, so that a path with the prefix is recognised
    /// by its bytes.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        if bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= Self.maximumLength else { return nil }
        for segment in bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !segment.isEmpty, segment.allSatisfy({ PercentEncoding.isUnreserved($0) }), !segment.allSatisfy({ $0 == UInt8(ascii: ".") })
            else { return nil }
        }
        self.text = String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a path is the prefix without a slash at its end. A browser that requests this path is redirected, because the page's relative
    /// addresses need the slash.
    func isFolder(_ path: String) -> Bool { !text.isEmpty && path.utf8.elementsEqual(text.utf8) }

    /// The path after the prefix; nil if the path does not begin with it.
    func inner(_ path: String) -> String? {
        let count = text.utf8.count
        guard count > 0, path.utf8.starts(with: text.utf8), path.utf8.dropFirst(count).first == UInt8(ascii: "/") else { return nil }
        return String(Substring(path.utf8.dropFirst(count)))
    }

    func apply(to response: inout HTTPResponse) {
        guard !text.isEmpty else { return }
        for index in response.headers.indices {
            let (name, value) = response.headers[index]
            if name.utf8.equalsIgnoringCase("location"), value.utf8.first == UInt8(ascii: "/") {
                response.headers[index].value = text + value
            } else if name.utf8.equalsIgnoringCase("set-cookie") {
                var bytes = Array(value.utf8)
                guard let range = bytes.firstRange(of: Array("; Path=/;".utf8)) else { continue }
                bytes.replaceSubrange(range, with: Array("; Path=\(text)/;".utf8))
                response.headers[index].value = String(decoding: bytes, as: UTF8.self)
            }
        }
    }

    /// A redirection to the page of the web remote, for a request of the prefix without a slash (`isFolder`).
    static func redirection() -> HTTPResponse {
        var response = HTTPResponse.empty()
        response.status = 308
        response.headers.append(("Location", "/"))
        return response
    }
}
