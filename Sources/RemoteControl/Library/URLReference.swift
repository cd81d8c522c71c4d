import Platform
import PlaybackEngine

extension PlaylistFile.Line {
    /// In a playlist from a server, with the URL `base`; nil for other schemes than http and https, so that it never names a file.
    func url(relativeTo base: String) -> String? { URLReference.resolved(location, against: base) }
}

/// RFC 3986, section 5.2, byte by byte.
enum URLReference {
    /// Nil if the scheme is not http or https. Without an authority, the user and password of the base stay. Backslashes count as slashes.
    static func resolved(_ reference: String, against base: String) -> String? {
        var text = Array(reference.utf8)
        if let scheme = MediaLocator.scheme(of: reference) {
            let isRemote = ["http", "https"].contains { $0.utf8.elementsEqual(scheme.utf8) }
            if isRemote, text.dropFirst(scheme.utf8.count + 1).starts(with: "//".utf8) { return reference }
            // A colon before a space belongs to a name (`Artist: Title.mp3`). Otherwise it is a scheme or a drive (`C:\\Music`), which is refused.
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
