import Platform
import PlaybackEngine

extension PlaylistFile.Line {
    /// In lower case; nil for a path. A colon alone makes no URL: `Requiem: Kyrie.wav`, `C:\\Music`.
    var scheme: String? {
        guard let scheme = MediaLocator.scheme(of: location) else { return nil }
        if scheme.utf8.elementsEqual("file".utf8) { return scheme }
        return location.utf8.dropFirst(scheme.utf8.count).starts(with: "://".utf8) ? scheme : nil
    }

    /// Nil for a URL with another scheme than `file`. The file system is not used.
    func path(below folder: AbsolutePath) throws(Problem) -> AbsolutePath? {
        guard !location.utf8.contains(0) else { throw Problem(.invalidValue, "A path contains no zero byte.") }
        if let scheme {
            guard scheme.utf8.elementsEqual("file".utf8) else { return nil }
            return try MediaLocator.path(ofFileURL: location, pointer: "")
        }
        // In XSPF, ASX and feeds, a path is a URI reference.
        let path = isReference ? PercentEncoding.decodedBytes(location) ?? Array(location.utf8) : Array(location.utf8)
        guard !path.contains(0) else { throw Problem(.invalidValue, "A path contains no zero byte.") }
        return try Self.path(path, below: folder)
    }

    private static func path(_ bytes: [UInt8], below folder: AbsolutePath) throws(Problem) -> AbsolutePath {
        let slash = UInt8(ascii: "/")
        return try MediaLocator.path(bytes.first == slash ? bytes : folder.file.bytes + [slash] + bytes, pointer: "")
    }

    /// Nil for a URL with another scheme than `file`. If the path by the rules of the format does not exist, slashes replace backslashes (lists from
    /// Windows), then percent-decoding is tried. In a file that is not UTF-8, the original bytes come first, because names are bytes in any encoding.
    func path(below folder: AbsolutePath, in confinement: PathConfinement) throws(Problem) -> AbsolutePath? {
        guard let path = try path(below: folder) else { return nil }
        func exists(_ path: AbsolutePath) -> Bool { (try? confinement.resolve(path)) != nil }
        if scheme == nil, let bytes = originalBytes {
            let slashed = bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }
            for candidate in [bytes, slashed] {
                if let original = try? Self.path(candidate, below: folder), exists(original) { return original }
            }
        }
        guard scheme == nil, location.utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") }), !exists(path) else {
            return path
        }
        var line = self
        for isDecoded in [false, true] {
            line.location = String(decoding: location.utf8.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "/") : $0 }, as: UTF8.self)
            line.isReference = isDecoded
            if let other = try? line.path(below: folder), exists(other) { return other }
        }
        return path
    }

    /// In a form that clients may see although it cannot be used: no user and password, percent-encoded, of the permitted length.
    var shownURL: String {
        // Each byte may become three.
        let longest = MediaLocator.maximumURLLength / 3
        guard let scheme, location.utf8.dropFirst(scheme.utf8.count).starts(with: "://".utf8) else {
            return PercentEncoding.asciiURL(location.utf8.prefix(longest))
        }
        let rest = location.utf8.dropFirst(scheme.utf8.count + 3)
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        let host = authority.lastIndex(of: UInt8(ascii: "@")).map { authority[$0...].dropFirst() } ?? authority
        let start = scheme + "://"
        return start + PercentEncoding.asciiURL((Array(host) + Array(rest[authority.endIndex...].prefix(longest))).prefix(longest - start.utf8.count))
    }
}
