import Platform

extension PlaylistFile.Line {
    /// The scheme of the location if it is a URL, in lower case; nil for a path. A URL begins with `file:`, or with a scheme and `://`. The names of
    /// files contain colons too: `Requiem: Kyrie.wav`, `C:\Music`.
    var scheme: String? {
        guard let scheme = MediaLocator.scheme(of: location) else { return nil }
        if scheme.utf8.elementsEqual("file".utf8) { return scheme }
        return location.utf8.dropFirst(scheme.utf8.count).starts(with: "://".utf8) ? scheme : nil
    }

    /// Returns the path that the location names; nil for a URL with another scheme than `file`. The file system is not used.
    /// - Parameter folder: The folder of the playlist file.
    func path(below folder: AbsolutePath) throws(Problem) -> AbsolutePath? {
        guard !location.utf8.contains(0) else { throw Problem(.invalidValue, "A path contains no zero byte.") }
        if let scheme {
            guard scheme.utf8.elementsEqual("file".utf8) else { return nil }
            return try MediaLocator.path(ofFileURL: location, pointer: "")
        }
        let isAbsolute = location.utf8.first == UInt8(ascii: "/")
        return try MediaLocator.path(isAbsolute ? location : folder.text + "/" + location, pointer: "")
    }

    /// The location as a URL or path that clients may see although it cannot be used: without user name and password, percent-encoded, and not longer
    /// than a URL may be.
    var shownURL: String {
        // The encoding makes a byte at most three times as long.
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
