import Glibc
import Playlist
import PlaybackEngine

/// Turns the `url` of a request into something that may be opened, or into the problem why not.
struct MediaLocator: Sendable {
    let confinement: PathConfinement
    let files: FileQueue
    /// Whether http URLs may lead to private networks although the request came from elsewhere.
    let allowsPrivateURLs: Bool

    /// Checks `url`, which may be a `file:`, `http:` or `https:` URL or an absolute path.
    func locate(_ url: String, title: String?, pointer: String, peer: HTTPPeer) async throws(Problem) -> EntrySpec {
        guard !url.isEmpty, !url.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else {
            throw Problem(.invalidValue, "This is not a URL.", pointer: pointer)
        }
        if url.utf8.first == UInt8(ascii: "/") {
            guard let path = AbsolutePath(url) else { throw Problem(.invalidValue, "This is not a path.", pointer: pointer) }
            return try await file(path, title: title, pointer: pointer)
        }
        guard let scheme = Self.scheme(of: url) else {
            throw Problem(.invalidValue, "Give a URL with its scheme, or an absolute path.", pointer: pointer)
        }
        switch scheme {
        case "file": return try await file(Self.path(ofFileURL: url, pointer: pointer), title: title, pointer: pointer)
        case "http", "https": return try remote(url, scheme: scheme, title: title, pointer: pointer, peer: peer)
        default: throw Problem(.unsupportedScheme, "The schemes file, http and https can be played.", pointer: pointer)
        }
    }

    private func file(_ path: AbsolutePath, title: String?, pointer: String) async throws(Problem) -> EntrySpec {
        let confinement = confinement
        let real = try await files.run { () throws(Problem) -> AbsolutePath in
            do throws(Problem) {
                let real = try confinement.resolve(path)
                switch PathConfinement.kind(of: real) {
                case .file: break
                case .directory: throw Problem(.unplayableFile, "This is a directory.")
                case .other: throw Problem(.unplayableFile, "This is not a regular file.")
                case nil: throw Problem(.fileNotFound, "There is no file at this path.")
                }
                guard access(real.text, R_OK) == 0 else { throw Problem(.unplayableFile, "The server may not read this file.") }
                return real
            } catch {
                var problem = error
                problem.pointer = pointer
                throw problem
            }
        }
        return EntrySpec(source: MediaSource(.file(path: real.text)), url: path.url, title: title)
    }

    private func remote(_ url: String, scheme: String, title: String?, pointer: String, peer: HTTPPeer) throws(Problem) -> EntrySpec {
        let invalid = Problem(.invalidValue, "This is not a URL with a host.", pointer: pointer)
        guard url.utf8.dropFirst(scheme.utf8.count + 1).starts(with: "//".utf8) else { throw invalid }
        let rest = url.dropFirst(scheme.count + 3)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let tail = rest.dropFirst(authority.count).prefix { $0 != "#" }
        let parts = authority.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        // Behind an @ that is not the last, two readers may see two hosts.
        guard let last = parts.last, !last.contains("@"), HostName(String(last)) != nil else { throw invalid }
        let ascii = PercentEncoding.asciiURL(String(tail))
        let user = parts.count == 2 ? PercentEncoding.asciiURL(String(parts[0])) + "@" : ""
        let source = MediaSource(.remote(url: "\(scheme)://\(user)\(last)\(ascii)"), allowsPrivateAddresses: allowsPrivateURLs || peer.isLoopback)
        // What is shown to every remote has no password in it.
        return EntrySpec(source: source, url: "\(scheme)://\(last)\(ascii)", title: title)
    }

    /// The scheme in lower case (RFC 3986, section 3.1), or nil.
    private static func scheme(of url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url[..<colon].lowercased()
        guard let first = scheme.utf8.first, first >= UInt8(ascii: "a"), first <= UInt8(ascii: "z"), scheme.utf8.count <= 32,
            scheme.utf8.allSatisfy({ ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        return scheme
    }

    /// The path of a `file:` URL (RFC 8089): `file:/path`, `file:///path`, `file://localhost/path`.
    private static func path(ofFileURL url: String, pointer: String) throws(Problem) -> AbsolutePath {
        var rest = url.dropFirst("file:".count)
        if rest.hasPrefix("//") {
            rest = rest.dropFirst(2)
            let host = rest.prefix { $0 != "/" }
            guard host.isEmpty || host.lowercased() == "localhost" else {
                throw Problem(.invalidValue, "A file URL with another host cannot be opened.", pointer: pointer)
            }
            rest = rest.dropFirst(host.count)
        }
        guard !rest.contains("?"), !rest.contains("#") else {
            throw Problem(.invalidValue, "In a file URL, write %3F for ? and %23 for #.", pointer: pointer)
        }
        guard let path = PercentEncoding.decoded(rest).flatMap(AbsolutePath.init) else {
            throw Problem(.invalidValue, "The path of the file URL is malformed.", pointer: pointer)
        }
        return path
    }
}
