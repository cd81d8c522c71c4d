import PlaybackEngine

/// An http or https URL, taken apart strictly: nothing of it can break out of the request that it goes into (RFC 3986, RFC 9110).
struct RemoteURL: Equatable {
    let isSecure: Bool
    /// A name or an address, without brackets, in lower case.
    let host: String
    let port: UInt16
    /// Path and query, percent-encoded, never empty.
    let target: String
    /// `user:password`, still percent-encoded.
    let credentials: String?

    init(_ text: String) throws(PlaybackError) {
        guard text.utf8.count <= 8192, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F || $0 == 0x20 }) else { throw RemoteURL.malformed }
        guard let colon = text.firstIndex(of: ":") else { throw RemoteURL.malformed }
        switch text[..<colon].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw PlaybackError(.unsupportedScheme, "Only http and https addresses can be opened.")
        }
        var rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw RemoteURL.malformed }
        rest = rest.dropFirst(2)
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        var authority = rest[..<end]
        if let at = authority.lastIndex(of: "@") {
            credentials = String(authority[..<at])
            authority = authority[authority.index(after: at)...]
        } else {
            credentials = nil
        }
        var portText: Substring?
        if authority.hasPrefix("[") {
            guard let close = authority.firstIndex(of: "]") else { throw RemoteURL.malformed }
            host = authority[authority.index(after: authority.startIndex)..<close].lowercased()
            guard host.utf8.allSatisfy({ RemoteURL.isHexadecimal($0) || $0 == 0x3A || $0 == 0x2E }) else { throw RemoteURL.malformed }
            let behind = authority[authority.index(after: close)...]
            guard behind.isEmpty || behind.hasPrefix(":") else { throw RemoteURL.malformed }
            portText = behind.isEmpty ? nil : behind.dropFirst()
        } else {
            let parts = authority.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            host = parts.first.map { $0.lowercased() } ?? ""
            portText = parts.count > 1 ? parts[1] : nil
            guard host.utf8.allSatisfy({ RemoteURL.isNameCharacter($0) }) else { throw RemoteURL.malformed }
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { throw RemoteURL.malformed }
        if let portText, !portText.isEmpty {
            guard portText.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(portText), number > 0 else {
                throw RemoteURL.malformed
            }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
        let path = rest[end...]
        target = RemoteURL.encoded(path.hasPrefix("/") ? path : "/" + path)
    }

    /// The URL that `reference` means in a redirect from this one.
    func redirected(to reference: String) throws(PlaybackError) -> RemoteURL {
        let scheme = isSecure ? "https:" : "http:"
        if reference.hasPrefix("//") { return try RemoteURL(scheme + reference) }
        if reference.hasPrefix("/") { return try RemoteURL("\(scheme)//\(authority)\(reference)") }
        if let colon = reference.firstIndex(of: ":"),
            reference[..<colon].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) })
        {
            return try RemoteURL(reference)
        }
        let path = target.prefix { $0 != "?" }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return try RemoteURL("\(scheme)//\(authority)\(folder)\(reference)")
    }

    /// Host and port as a `Host` field has them.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Whether both are the same scheme, host and port.
    func hasSameOrigin(as other: RemoteURL) -> Bool { isSecure == other.isSecure && host == other.host && port == other.port }

    static var malformed: PlaybackError { PlaybackError(.unsupportedScheme, "This is not an address that can be opened.") }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
    }
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
    }

    /// Everything outside printable ASCII, and what would end a request line, as `%XX`.
    private static func encoded(_ text: Substring) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7F, !"\"<>\\^`{|}".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// `text` with its `%XX` resolved.
    static func decoded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == 0x25, rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
