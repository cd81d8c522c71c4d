import CCurl
import Platform
import PlaybackEngine

/// An http or https URL, parsed by libcurl.
struct RemoteURL: Equatable {
    let isSecure: Bool
    /// The name or the network address of the server, without brackets, in lower case.
    let host: String
    let port: UInt16
    /// Whether the URL states its port.
    let statesPort: Bool
    /// The path and the query of the URL, percent-encoded; never empty.
    let target: String
    /// The user and the password of the URL as `user:password`, still percent-encoded; nil if the URL has none.
    let credentials: String?

    private static let longest = 8192

    init(_ text: String) throws(PlaybackError) { try self.init(Array(text.utf8.prefix(RemoteURL.longest + 1)), following: []) }

    /// Returns the URL to which a server redirects this URL by `reference`, the value of the header field `Location` (RFC 3986, section 5.2.2). Its
    /// bytes need not be text.
    func redirected(to reference: [UInt8]) throws(PlaybackError) -> RemoteURL {
        let wanted = reference.prefix { $0 != UInt8(ascii: "#") }, path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        let scheme = wanted.prefix { $0.isASCIILetter || $0.isASCIIDigit || "+-.".utf8.contains($0) }
        let origin = Array(text(credentials: nil).utf8.dropLast(target.utf8.count)), base: [UInt8]
        if scheme.first?.isASCIILetter ?? false, wanted.dropFirst(scheme.count).first == UInt8(ascii: ":") {
            base = []
        } else if wanted.starts(with: "//".utf8) {
            base = Array((isSecure ? "https:" : "http:").utf8)
        } else if wanted.first == UInt8(ascii: "/") {
            base = origin
        } else if wanted.first == UInt8(ascii: "?") {
            base = origin + path
        } else if wanted.isEmpty {
            base = origin + target.utf8
        } else {
            // The path begins with a slash.
            base = origin + path[...(path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex)]
        }
        return try RemoteURL(Array(wanted), following: base)
    }

    /// Parses the URL that consists of `base`, which is part of a valid URL, and of `rest`, which is not trusted.
    private init(_ rest: [UInt8], following base: [UInt8]) throws(PlaybackError) {
        guard rest.count <= RemoteURL.longest, rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw RemoteURL.malformed }
        guard let handle = curl_url() else { throw .outOfMemory }
        defer { curl_url_cleanup(handle) }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
            defer { curl_free(text) }
            return String(cString: text)
        }
        let whole = base + rest
        let code = (whole + [0]).withUnsafeBytes {
            curl_url_set(
                handle, CURLUPART_URL, $0.assumingMemoryBound(to: CChar.self).baseAddress,
                UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_NON_SUPPORT_SCHEME))
        }
        guard code == CURLUE_OK, let scheme = part(CURLUPART_SCHEME) else { throw RemoteURL.malformed }
        guard ["http", "https"].contains(scheme) else {
            throw PlaybackError(.unsupportedScheme, "Only URLs with the scheme http or https can be opened.")
        }
        // libcurl takes `http:/g` and `http:///g` for `http://g`, but they name no server (RFC 3986, section 3).
        let authority = whole.drop { $0 != UInt8(ascii: ":") }
        guard authority.starts(with: "://".utf8), authority.dropFirst(3).first != UInt8(ascii: "/") else { throw RemoteURL.malformed }
        guard let name = part(CURLUPART_HOST), let path = part(CURLUPART_PATH), name.utf8.count <= 253 else { throw RemoteURL.malformed }
        isSecure = scheme == "https"
        // An internationalised name would be looked up in its ASCII form (`xn--…`), so the URL has to contain this form.
        host = (name.utf8.first == 0x5B ? String(name.dropFirst().dropLast()) : name).lowercased()
        guard host.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "-._:".utf8.contains($0) }) else { throw RemoteURL.malformed }
        let stated = part(CURLUPART_PORT)
        guard let number = UInt16(stated ?? (isSecure ? "443" : "80")), number > 0 else { throw RemoteURL.malformed }
        (port, statesPort) = (number, stated != nil)
        target = path + (part(CURLUPART_QUERY).map { "?" + $0 } ?? "")
        let user = part(CURLUPART_USER), password = part(CURLUPART_PASSWORD)
        credentials = user == nil && password == nil ? nil : (user ?? "") + (password.map { ":" + $0 } ?? "")
    }

    static func == (one: RemoteURL, other: RemoteURL) -> Bool {
        one.hasSameOrigin(as: other) && one.target == other.target && one.credentials == other.credentials
    }

    /// The host and the port of the URL, as in the header field `Host`.
    var authority: String {
        let name = host.utf8.contains(0x3A) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Returns whether two URLs have the same scheme, host and port.
    func hasSameOrigin(as other: RemoteURL) -> Bool { isSecure == other.isSecure && host == other.host && port == other.port }

    private static var malformed: PlaybackError { PlaybackError(.unsupportedScheme, "The URL is malformed.") }
}
