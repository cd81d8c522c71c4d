public import Platform

/// The media of a playlist or feed that an opener has found in place of a medium (`PlaybackError.list`).
public final class MediaList: Sendable, Hashable {
    /// The location of the list, against which the relative locations in it are resolved.
    public enum Base: Sendable, Equatable {
        case file(FilePath)
        /// The URL after redirects. If the list's address is public, its media must not be at private addresses.
        case remote(url: String, isPublic: Bool)
    }

    /// A medium of the list, after its location was checked.
    public struct Medium: Sendable {
        public var source: MediaSource
        /// The URL as clients may see it.
        public var url: String
        public var title: String?
        /// The duration that the playlist states, in seconds.
        public var duration: Double?
        /// The date that the feed states, in seconds since 1970.
        public var publicationDate: Double?
        /// The URL of a picture, for which the same rules apply as for the medium's.
        public var picture: String?
        /// The reason why the medium cannot be used; nil if it can.
        public var failure: PlaybackError?
        /// The place in the list, such as "Line 3".
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
    /// The checked media; nil before the check, so that none can be opened.
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
