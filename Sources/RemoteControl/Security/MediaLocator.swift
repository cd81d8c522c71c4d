import Platform
import Player
import PlaybackEngine

/// Turns a URL or path from a request into an entry that can be played, or throws the problem of the URL.
struct MediaLocator: Sendable {
    /// The greatest length of a URL, in bytes; for http URLs after percent-encoding.
    static let maximumURLLength = 8 << 10

    let confinement: PathConfinement
    let files: FileQueue
    /// Whether http URLs may lead to private networks even if a client of another machine sent the request.
    let allowsPrivateURLs: Bool
    /// The queue for work on folders, which is separate, so that it does not delay other requests.
    var folders = FileQueue("folders", limit: 16, share: 4)
    var clock: any HostClock = MonotonicClock()
    /// The order of a folder's media.
    var order = NaturalOrder.standard

    /// Turns a URL into an entry. A path inside the media roots without a playable file becomes an entry with the failure.
    func locateEntry(_ url: String, title: String?, pointer: String, isTrusted: Bool) async throws(Problem) -> EntrySpec {
        try await locate(url, title: title, pointer: pointer, isTrusted: isTrusted, keepsUnplayable: true)
    }

    /// Turns a URL into an entry. Throws if the URL is forbidden, or if its file is missing, a folder or a text.
    func locate(_ url: String, title: String?, pointer: String, isTrusted: Bool) async throws(Problem) -> EntrySpec {
        try await locate(url, title: title, pointer: pointer, isTrusted: isTrusted, keepsUnplayable: false)
    }

    /// Turns a `file:`, `http:` or `https:` URL or an absolute path into an entry.
    private func locate(_ url: String, title: String?, pointer: String, isTrusted: Bool, keepsUnplayable: Bool) async throws(Problem) -> EntrySpec {
        guard !url.isEmpty else { throw Problem(.invalidValue, "The URL is empty.", pointer: pointer) }
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem(
                .invalidValue, "The URL or path contains a control character. In a URL, percent-encode it.", pointer: pointer)
        }
        if url.utf8.first == UInt8(ascii: "/") {
            return try await file(
                Self.path(url, pointer: pointer), title: title, pointer: pointer, isTrusted: isTrusted, keepsUnplayable: keepsUnplayable)
        }
        guard let scheme = Self.scheme(of: url) else {
            throw Problem(.invalidValue, "Give a URL with its scheme, or an absolute path.", pointer: pointer)
        }
        switch scheme {
        case "file":
            return try await file(
                Self.path(ofFileURL: url, pointer: pointer), title: title, pointer: pointer, isTrusted: isTrusted, keepsUnplayable: keepsUnplayable)
        case "http", "https":
            return try Self.remote(
                url, scheme: scheme, title: title, pointer: pointer, allowsPrivateAddresses: allowsPrivateURLs || isTrusted)
        default: throw Problem(.unsupportedScheme, "Only URLs with the scheme file, http or https can be played.", pointer: pointer)
        }
    }

    func file(
        _ path: AbsolutePath, title: String?, pointer: String, isTrusted: Bool, keepsUnplayable: Bool
    ) async throws(Problem) -> EntrySpec {
        let confinement = confinement
        // The URLs in a playlist may lead to private networks if the client that has named the playlist may request such URLs.
        let allowsPrivate = allowsPrivateURLs || isTrusted
        return try await files.run { () throws(Problem) -> EntrySpec in
            do throws(Problem) {
                var source = Self.source(try Self.playable(path, confinement))
                source.allowsPrivateAddresses = allowsPrivate
                return EntrySpec(source: source, url: path.url, title: title)
            } catch {
                if keepsUnplayable, let code = Self.failure(of: error) {
                    var source = Self.source(confinement.expectedPlace(of: path))
                    source.allowsPrivateAddresses = allowsPrivate
                    return EntrySpec(
                        source: source, url: path.url, title: title,
                        failure: PlayerState.Failure(code: code, message: error.detail))
                }
                var problem = error
                problem.pointer = pointer
                throw problem
            }
        }
    }

    /// The source of a file. It follows no links, so a link that replaces the file after the check is not opened.
    static func source(_ real: AbsolutePath) -> MediaSource {
        var source = MediaSource(.file(real.file))
        source.followsLinks = false
        return source
    }

    /// The path of a file, with links resolved. Throws if it is not a regular, readable file that clients may use.
    static func playable(_ path: AbsolutePath, _ confinement: PathConfinement) throws(Problem) -> AbsolutePath {
        let place = try confinement.open(path)
        switch place.kind {
        case .file: break
        case .directory: throw Problem(.unplayableFile, "The path names a directory, not a file.")
        case .other: throw Problem(.unplayableFile, "The path does not name a regular file.")
        }
        guard place.file.isReadable else {
            var problem = Problem(.unplayableFile, "The server has no permission to read the file.")
            problem.reason = .permissionDenied
            throw problem
        }
        // A file with an extension of audio is examined when it is opened. A file that is a playlist becomes entries when it is opened.
        guard MediaExtension.kind(place.path.nameBytes) == .audio || !TextFile.isText(place) || TextFile.isList(place) else {
            throw Problem(.unplayableFile, "The file is a text, not a medium.")
        }
        return place.path
    }

    /// Whether the medium of a URL cannot be played; false if the URL is forbidden.
    static func isUnplayable(_ problem: Problem) -> Bool { failure(of: problem) != nil }

    /// Whether a URL is forbidden, or its medium cannot be played. A playlist file may bring such a URL into the queue.
    static func isUnusable(_ problem: Problem) -> Bool {
        switch problem.code {
        case .outsideMediaRoots, .unsupportedScheme, .invalidValue, .textTooLong: true
        default: isUnplayable(problem)
        }
    }

    static func hasCredentials(_ url: String?) -> Bool {
        guard let url, let scheme = scheme(of: url), scheme != "file" else { return false }
        return url.utf8.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".utf8.contains($0) }.contains(UInt8(ascii: "@"))
    }

    /// The failure of the entry of a URL with this problem; nil if the URL makes no entry, and the whole request must be refused.
    static func failure(of problem: Problem) -> PlaybackError.Code? {
        switch problem.code {
        case .fileNotFound: .fileNotFound
        case .unplayableFile: problem.reason ?? .notAFile
        default: nil
        }
    }

    /// The entry of an http URL, which is parsed byte by byte: `String` does not find a slash that a combining mark follows, but the library that
    /// opens the URL does.
    static func remote(
        _ url: String, scheme: String, title: String?, pointer: String, allowsPrivateAddresses: Bool
    ) throws(Problem) -> EntrySpec {
        let invalid = Problem(.invalidValue, "The URL has no valid host.", pointer: pointer)
        guard url.utf8.dropFirst(scheme.utf8.count + 1).starts(with: "//".utf8) else { throw invalid }
        let rest = Array(url.utf8.dropFirst(scheme.utf8.count + 3))
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let tail = rest[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        var host = authority
        var user = ""
        // With two `@`, two parsers may find different hosts.
        if let at = authority.firstIndex(of: UInt8(ascii: "@")) {
            guard let credentials = credentials(authority[..<at]) else { throw invalid }
            user = credentials + "@"
            host = authority[(at + 1)...]
        }
        let name = String(decoding: host, as: UTF8.self)
        guard HostField(name) != nil else { throw invalid }
        let target = PercentEncoding.asciiURL(tail)
        let opened = "\(scheme)://\(user)\(name)\(target)"
        guard opened.utf8.count <= maximumURLLength else {
            throw Problem(.textTooLong, "A URL may have at most \(maximumURLLength) bytes when it is percent-encoded.", pointer: pointer)
        }
        let source = MediaSource(.remote(url: opened), allowsPrivateAddresses: allowsPrivateAddresses)
        // Clients see the URL that is opened, without user and password.
        return EntrySpec(source: source, url: "\(scheme)://\(name)\(target)", title: title)
    }

    /// The user and password of a URL (RFC 3986, section 3.2.1); nil if there is an invalid byte.
    private static func credentials(_ bytes: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard bytes.allSatisfy({ PercentEncoding.isUnreserved($0) || "!$&'()*+,;=:%".utf8.contains($0) }),
            PercentEncoding.decodedBytes(text) != nil
        else { return nil }
        return text
    }

    /// The scheme of a URL, in lower case (RFC 3986, section 3.1).
    static func scheme(of url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon].lowercased()
        guard let first = scheme.utf8.first, first.isASCIILetter, scheme.utf8.count <= 32,
            scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        return scheme
    }

    /// The path of a `file:` URL (RFC 8089): `file:/path`, `file:///path` or `file://localhost/path`.
    static func path(ofFileURL url: String, pointer: String) throws(Problem) -> AbsolutePath {
        var rest = Array(url.utf8.dropFirst("file:".utf8.count))[...]
        if rest.starts(with: "//".utf8) {
            let host = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || host.lazy.map(\.asciiLowercased).elementsEqual("localhost".utf8) else {
                throw Problem(.invalidValue, "A file URL must not name another host.", pointer: pointer)
            }
            rest = rest[host.endIndex...]
        }
        guard !rest.contains(UInt8(ascii: "?")), !rest.contains(UInt8(ascii: "#")) else {
            throw Problem(.invalidValue, "In a file URL, write %3F for ? and %23 for #.", pointer: pointer)
        }
        guard let path = PercentEncoding.decodedBytes(String(decoding: rest, as: UTF8.self)), !path.contains(0) else {
            throw Problem(.invalidValue, "The path of the file URL is malformed.", pointer: pointer)
        }
        return try Self.path(path, pointer: pointer)
    }

    /// Parses a path. Only the text is checked, without disk access.
    static func path(_ text: String, pointer: String) throws(Problem) -> AbsolutePath { try path(Array(text.utf8), pointer: pointer) }

    /// Parses a path whose bytes need not be UTF-8.
    static func path(_ bytes: [UInt8], pointer: String) throws(Problem) -> AbsolutePath {
        do throws(AbsolutePath.Fault) { return try AbsolutePath(bytes: bytes) } catch {
            throw Problem(error == .notAbsolute ? .invalidValue : .textTooLong, error.sentence, pointer: pointer)
        }
    }
}
