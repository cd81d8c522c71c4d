import Platform
public import PlaybackEngine
import Player

/// Opens media with another opener, and checks the locations of a playlist that it finds, by the rules for a URL from a client. In addition, a
/// playlist from a server may not name a file of this machine, and one from a public address no private address.
///
/// The check may block, so it is performed on the thread that opens the medium.
public struct ListOpener: MediaOpener {
    /// The greatest length of a picture's URL, in bytes. A picture with a longer URL is ignored.
    static let maximumPictureLength = 2048

    private let opener: any MediaOpener
    private let confinement: PathConfinement

    public init(opener: any MediaOpener, confinement: PathConfinement) {
        self.opener = opener
        self.confinement = confinement
    }

    public func open(_ source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> any AudioReader {
        do throws(PlaybackError) { return try opener.open(source, interrupt: interrupt) } catch {
            guard let list = error.list else { throw error }
            var found = error
            var media: [MediaList.Medium] = []
            media.reserveCapacity(list.lines.count)
            for line in list.lines {
                if interrupt.isRaised { throw PlaybackError(.cancelled, "The opening was cancelled.") }
                media.append(medium(line, of: list, source))
            }
            found.list = list.with(media)
            throw found
        }
    }

    public func picture(at source: MediaSource, interrupt: Interrupt) throws(PlaybackError) -> Artwork {
        try opener.picture(at: source, interrupt: interrupt)
    }

    private func medium(_ line: PlaylistFile.Line, of list: MediaList, _ source: MediaSource) -> MediaList.Medium {
        let title = line.title.flatMap { $0.utf8.count > PlayerState.Item.maximumTextLength || $0.utf8.contains(0) ? nil : $0 }
        let position = "\(list.format == .m3u || list.format == .pls ? "Line" : "Entry") \(line.number)"
        func medium(_ source: MediaSource, _ url: String, _ failure: PlaybackError? = nil) -> MediaList.Medium {
            var medium = MediaList.Medium(source: source, url: url, title: title, failure: failure, position: position)
            medium.duration = line.duration
            medium.publicationDate = line.publicationDate
            medium.picture = line.picture.flatMap { picture($0, of: list) }
            return medium
        }
        do throws(Problem) {
            switch list.base {
            case .file(let path):
                if !line.bases.isEmpty { return try remote(try Self.located(line), source.allowsPrivateAddresses, medium) }
                let folder = try MediaLocator.path(path.bytes, pointer: "")
                guard let named = try line.path(below: folder.parent ?? folder, in: confinement) else { break }
                return try file(named, source.allowsPrivateAddresses, medium)
            case .remote(let url, let isPublic):
                let unsupported = Problem(.unsupportedScheme, "A playlist of a server may name http and https URLs only.")
                var base = url
                for reference in line.bases {
                    guard let next = URLReference.resolved(reference, against: base) else { throw unsupported }
                    base = next
                }
                guard let resolved = line.url(relativeTo: base) else { throw unsupported }
                return try remote(resolved, source.allowsPrivateAddresses && !isPublic, medium)
            }
            return try remote(line.location, source.allowsPrivateAddresses, medium)
        } catch {
            // No opener knows the scheme `unusable`, so nothing is ever opened for this source.
            let code: PlaybackError.Code =
                switch error.code {
                case .outsideMediaRoots: .permissionDenied
                case .unsupportedScheme: .unsupportedScheme
                default: MediaLocator.failure(of: error) ?? .unknown
                }
            let source = MediaSource(.remote(url: "unusable:" + line.shownURL), allowsPrivateAddresses: false)
            return medium(source, line.shownURL, PlaybackError(code, error.detail))
        }
    }

    /// The URL of a picture; nil if it is no http or https URL. The picture is opened later, by the rules for the entry's medium.
    private func picture(_ reference: PlaylistFile.Reference, of list: MediaList) -> String? {
        var url = if case .remote(let base, _) = list.base { base } else { "" }
        for reference in reference.bases + [reference.location] {
            guard reference.utf8.count <= Self.maximumPictureLength, let next = URLReference.resolved(reference, against: url) else { return nil }
            url = next
        }
        let checked = try? remote(url, false) { source, url, failure in MediaList.Medium(source: source, url: url, failure: failure, position: "") }
        guard case .remote(let opened)? = checked?.source.location, opened.utf8.count <= Self.maximumPictureLength else { return nil }
        return opened
    }

    /// The location of a line. With base addresses (`xml:base`), a relative location in a feed means a URL, and not a file beside the feed.
    private static func located(_ line: PlaylistFile.Line) throws(Problem) -> String {
        var url = ""
        for reference in line.bases + [line.location] {
            guard let next = URLReference.resolved(reference, against: url) else {
                throw Problem(.unsupportedScheme, "The base address of the entry (xml:base) is not an http or https URL.")
            }
            url = next
        }
        return url
    }

    private func file(
        _ path: AbsolutePath, _ allowsPrivateAddresses: Bool, _ medium: (MediaSource, String, PlaybackError?) -> MediaList.Medium
    ) throws(Problem) -> MediaList.Medium {
        do throws(Problem) {
            var source = MediaLocator.source(try MediaLocator.playable(path, confinement))
            source.allowsPrivateAddresses = allowsPrivateAddresses
            return medium(source, path.url, nil)
        } catch {
            guard let code = MediaLocator.failure(of: error) else { throw error }
            var source = MediaLocator.source(confinement.expectedPlace(of: path))
            source.allowsPrivateAddresses = allowsPrivateAddresses
            return medium(source, path.url, PlaybackError(code, error.detail))
        }
    }

    private func remote(
        _ url: String, _ allowsPrivateAddresses: Bool, _ medium: (MediaSource, String, PlaybackError?) -> MediaList.Medium
    ) throws(Problem) -> MediaList.Medium {
        guard !url.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw Problem(.invalidValue, "The URL contains a control character.")
        }
        guard let scheme = MediaLocator.scheme(of: url), ["http", "https"].contains(where: { $0.utf8.elementsEqual(scheme.utf8) }) else {
            throw Problem(.unsupportedScheme, "Only URLs with the scheme file, http or https can be played.")
        }
        let spec = try MediaLocator.remote(url, scheme: scheme, title: nil, pointer: "", allowsPrivateAddresses: allowsPrivateAddresses)
        return medium(spec.source, spec.url, nil)
    }
}

extension PlaylistFile.Line {
    /// The URL of a location in a playlist from a server, with the URL `base`; nil for other schemes than http and https, so that it never
    /// names a file.
    func url(relativeTo base: String) -> String? { URLReference.resolved(location, against: base) }
}

/// The resolution of URL references (RFC 3986, section 5.2), byte by byte.
enum URLReference {
    /// The resolved URL; nil if the scheme is not http or https. If the reference has no authority, the user and password of the base stay.
    /// Backslashes count as slashes.
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

extension PlaylistFile.Line {
    /// The scheme in lower case; nil for a path. A colon alone makes no URL: `Requiem: Kyrie.wav`, `C:\\Music`.
    var scheme: String? {
        guard let scheme = MediaLocator.scheme(of: location) else { return nil }
        if scheme.utf8.elementsEqual("file".utf8) { return scheme }
        return location.utf8.dropFirst(scheme.utf8.count).starts(with: "://".utf8) ? scheme : nil
    }

    /// The path of the location; nil for a URL with another scheme than `file`. The file system is not used.
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

    /// The path of the location; nil for a URL with another scheme than `file`. If the path by the rules of the format does not exist, slashes
    /// replace backslashes (lists from Windows), then percent-decoding is tried. In a file that is not UTF-8, the original bytes come first, because
    /// names are bytes in any encoding.
    func path(below folder: AbsolutePath, in confinement: PathConfinement) throws(Problem) -> AbsolutePath? {
        guard let path = try path(below: folder) else { return nil }
        func exists(_ path: AbsolutePath) -> Bool { (try? confinement.open(path)) != nil }
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

    /// The location in a form that clients may see although it cannot be used: no user and password, percent-encoded, of the permitted length.
    var shownURL: String {
        // Percent-encoding may make three bytes of one.
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
