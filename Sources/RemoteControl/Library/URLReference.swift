import Platform
import PlaybackEngine

extension PlaylistFile.Line {
    /// Returns the URL of the line's location in a playlist that was fetched from a server; nil if it is a URL with another scheme than http and
    /// https. So a playlist from a server never names a file.
    /// - Parameter base: The URL of the playlist, an http or https URL.
    func url(relativeTo base: String) -> String? { URLReference.resolved(location, against: base) }
}

/// Resolves the references in playlists from servers to URLs (RFC 3986, section 5.2), byte by byte.
enum URLReference {
    /// Returns the URL that a reference means; nil if it has another scheme than http and https. A reference without an authority keeps the user and
    /// password of the base. Backslashes count as slashes, as browsers read them.
    static func resolved(_ reference: String, against base: String) -> String? {
        var text = Array(reference.utf8)
        if let scheme = MediaLocator.scheme(of: reference) {
            let isRemote = ["http", "https"].contains { $0.utf8.elementsEqual(scheme.utf8) }
            if isRemote, text.dropFirst(scheme.utf8.count + 1).starts(with: "//".utf8) { return reference }
            // A colon that a space follows belongs to a name (`Artist: Title.mp3`). Any other text before a colon is a scheme, or the drive of a
            // Windows path (`C:\Music`), which is refused like a foreign scheme.
            let rest = text.dropFirst(scheme.utf8.count + 1)
            guard rest.first == UInt8(ascii: " "), !isRemote else { return nil }
        }
        let origin = Array(base.utf8)
        guard let colon = origin.firstIndex(of: UInt8(ascii: ":")), origin[colon...].starts(with: "://".utf8) else { return nil }
        for index in text.indices where text[index] == UInt8(ascii: "\\") { text[index] = UInt8(ascii: "/") }
        if text.starts(with: "//".utf8) { return string(origin[...colon] + text) }
        let authorityEnd = origin[(colon + 3)...].firstIndex { "/?#".utf8.contains($0) } ?? origin.endIndex
        let root = origin[..<authorityEnd]
        let path = origin[authorityEnd...].prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if text.first == UInt8(ascii: "?") { return string(root + path + text) }
        let tail = text.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
        let folder = path.lastIndex(of: UInt8(ascii: "/")).map { Array(path[...$0]) } ?? [UInt8(ascii: "/")]
        let joined = text.first == UInt8(ascii: "/") ? Array(text[..<tail]) : folder + text[..<tail]
        return string(root + withoutDots(joined) + text[tail...])
    }

    private static func string(_ bytes: some Sequence<UInt8>) -> String { String(decoding: Array(bytes), as: UTF8.self) }

    /// Removes the segments `.` and `..` of an absolute path.
    private static func withoutDots(_ path: [UInt8]) -> [UInt8] {
        var segments: [ArraySlice<UInt8>] = []
        let all = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            if segment.elementsEqual(".".utf8) || segment.elementsEqual("..".utf8) {
                if segment.count == 2 { _ = segments.popLast() }
                if isLast { segments.append([]) }
            } else {
                segments.append(segment)
            }
        }
        return [UInt8(ascii: "/")] + segments.joined(separator: [UInt8(ascii: "/")])
    }
}
