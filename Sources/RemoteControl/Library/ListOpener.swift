import Platform
public import PlaybackEngine
import Player

/// Opens media with another opener, and checks the locations of a playlist that it finds, by the rules for a URL from a client. In addition, a
/// playlist from a server may not name a file of this machine, and one from a public address no private address.
///
/// The check may block, so it is performed on the thread that opens the medium.
public struct ListOpener: MediaOpener {
    /// In bytes. A picture with a longer URL is ignored.
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
            // No opener knows the scheme `unusable`.
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

    /// Nil if it is no http or https URL. The picture is opened later, by the rules for the entry's medium.
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

    /// With base addresses (`xml:base`), a relative location in a feed means a URL, and not a file beside the feed.
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
