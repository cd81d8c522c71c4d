import Platform
import PlaybackEngine

/// An http or https URL, parsed strictly, so that no part of it can change the structure of the request (RFC 3986, RFC 9110).
struct RemoteURL: Equatable {
    let isSecure: Bool
    /// The name or the network address of the server, without brackets, in lower case.
    let host: String
    let port: UInt16
    /// The path and the query of the URL, percent-encoded; never empty.
    let target: String
    /// The user and the password of the URL as `user:password`, still percent-encoded; nil if the URL has none.
    let credentials: String?

    init(_ text: String) throws(PlaybackError) { try self.init(Array(text.utf8.prefix(RemoteURL.longest + 1))) }

    /// Parses a URL byte by byte. If its characters were parsed instead of its bytes, a combining mark would hide the delimiter before it, and the time
    /// for many marks in sequence would grow with the square of their number.
    private init(_ text: [UInt8]) throws(PlaybackError) {
        let bytes = text[...]
        guard bytes.count <= RemoteURL.longest, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw RemoteURL.malformed }
        guard let colon = bytes.firstIndex(of: Byte.colon) else { throw RemoteURL.malformed }
        switch RemoteURL.lowercased(bytes[..<colon]) {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw PlaybackError(.unsupportedScheme, "Only URLs with the scheme http or https can be opened.")
        }
        var rest = bytes[(colon + 1)...]
        guard rest.starts(with: [Byte.slash, Byte.slash]) else { throw RemoteURL.malformed }
        rest = rest.dropFirst(2)
        if let fragment = rest.firstIndex(of: Byte.hash) { rest = rest[..<fragment] }
        let end = rest.firstIndex { $0 == Byte.slash || $0 == Byte.question } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: Byte.at) {
            credentials = String(decoding: authority[..<at], as: UTF8.self)
            authority = authority[(at + 1)...]
        } else {
            credentials = nil
        }
        let afterHost: ArraySlice<UInt8>
        if authority.first == Byte.openBracket {
            guard let close = authority.firstIndex(of: Byte.closeBracket) else { throw RemoteURL.malformed }
            let address = authority[(authority.startIndex + 1)..<close]
            guard address.allSatisfy({ $0.hexadecimalValue != nil || $0 == Byte.colon || $0 == Byte.dot }) else { throw RemoteURL.malformed }
            host = RemoteURL.lowercased(address)
            afterHost = authority[(close + 1)...]
        } else {
            let name = authority.prefix { $0 != Byte.colon }
            guard name.allSatisfy({ RemoteURL.isNameCharacter($0) }) else { throw RemoteURL.malformed }
            host = RemoteURL.lowercased(name)
            afterHost = authority[name.endIndex...]
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { throw RemoteURL.malformed }
        port = try RemoteURL.port(afterHost) ?? (isSecure ? 443 : 80)
        let path = rest[end...]
        target = PercentEncoding.asciiURL(path.first == Byte.slash ? path : [Byte.slash] + path)
    }

    /// Parses the bytes after the host of a URL: none, or a colon and a port number, which may be missing. Returns nil if the URL has no port number.
    private static func port(_ bytes: ArraySlice<UInt8>) throws(PlaybackError) -> UInt16? {
        guard let first = bytes.first else { return nil }
        let digits = bytes.dropFirst()
        guard first == Byte.colon, digits.allSatisfy(\.isASCIIDigit) else { throw malformed }
        if digits.isEmpty { return nil }
        guard let number = UInt16(String(decoding: digits, as: UTF8.self)), number > 0 else { throw malformed }
        return number
    }

    /// Returns the URL to which a server redirects this URL by `reference` (RFC 3986, section 5.2), the value of the header field `Location`. Its bytes
    /// need not be ASCII, nor UTF-8.
    func redirected(to reference: [UInt8]) throws(PlaybackError) -> RemoteURL {
        let bytes = reference.prefix(RemoteURL.longest + 1)
        let scheme = Array((isSecure ? "https:" : "http:").utf8), server = scheme + Array("//\(authority)".utf8)
        if bytes.starts(with: [Byte.slash, Byte.slash]) { return try RemoteURL(scheme + bytes) }
        if bytes.first == Byte.slash { return try RemoteURL(server + bytes) }
        // If a colon ends the scheme of a URL, only letters, digits, "+", "-" and "." precede it.
        if let colon = bytes.firstIndex(of: Byte.colon), bytes[..<colon].allSatisfy({ RemoteURL.isSchemeCharacter($0) }) {
            return try RemoteURL(Array(bytes))
        }
        let path = target.utf8.prefix { $0 != Byte.question }
        if bytes.first == Byte.question { return try RemoteURL(server + path + bytes) }
        let folder = path.lastIndex(of: Byte.slash).map { path[...$0] } ?? path
        return try RemoteURL(server + folder + bytes)
    }

    private static let longest = 8192

    /// The delimiters between the parts of a URL (RFC 3986).
    private enum Byte {
        static let hash: UInt8 = 0x23, dot: UInt8 = 0x2E, slash: UInt8 = 0x2F, colon: UInt8 = 0x3A, question: UInt8 = 0x3F, at: UInt8 = 0x40
        static let openBracket: UInt8 = 0x5B, closeBracket: UInt8 = 0x5D
    }

    /// Changes only ASCII letters to lower case; the caller refuses other characters.
    private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.map(\.asciiLowercased), as: UTF8.self)
    }

    /// The host and the port of the URL, as in the header field `Host`.
    var authority: String {
        let name = host.utf8.contains(Byte.colon) ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Returns whether two URLs have the same scheme, host and port.
    func hasSameOrigin(as other: RemoteURL) -> Bool { isSecure == other.isSecure && host == other.host && port == other.port }

    static var malformed: PlaybackError { PlaybackError(.unsupportedScheme, "The URL is malformed.") }

    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == 0x2D || byte == Byte.dot || byte == 0x5F
    }
    private static func isSchemeCharacter(_ byte: UInt8) -> Bool { isLetterOrDigit(byte) || byte == 0x2B || byte == 0x2D || byte == Byte.dot }
    private static func isLetterOrDigit(_ byte: UInt8) -> Bool { byte.isASCIIDigit || byte.isASCIILetter }
}
