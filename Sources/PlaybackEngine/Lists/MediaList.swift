public import Platform

/// The media of a playlist or feed that an opener has found in place of a medium (`PlaybackError.list`).
public final class MediaList: Sendable, Hashable {
    /// Where the list comes from, for its relative locations.
    public enum Base: Sendable, Equatable {
        case file(FilePath)
        /// After redirects. If its address is public, its media may not be at private ones.
        case remote(url: String, isPublic: Bool)
    }

    /// After its location was checked.
    public struct Medium: Sendable {
        public var source: MediaSource
        /// As clients may see it.
        public var url: String
        public var title: String?
        /// By the playlist, in seconds.
        public var duration: Double?
        /// By the feed, in seconds since 1970.
        public var publicationDate: Double?
        /// A URL, under the rules for the medium's.
        public var picture: String?
        /// Why the medium cannot be used.
        public var failure: PlaybackError?
        /// Such as "Line 3".
        public var position: String

        public init(source: MediaSource, url: String, title: String? = nil, failure: PlaybackError? = nil, position: String) {
            self.source = source
            self.url = url
            self.title = title
            self.failure = failure
            self.position = position
        }
    }

    /// Nil for a podcast feed.
    public let format: PlaylistFile.Format?
    public let base: Base
    public let lines: [PlaylistFile.Line]
    /// Nil before the check, so that none may be opened.
    public let media: [Medium]?

    public init(format: PlaylistFile.Format?, base: Base, lines: [PlaylistFile.Line], media: [Medium]? = nil) {
        self.format = format
        self.base = base
        self.lines = lines
        self.media = media
    }

    public func with(_ media: [Medium]) -> MediaList { MediaList(format: format, base: base, lines: lines, media: media) }

    public static func == (a: MediaList, b: MediaList) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
