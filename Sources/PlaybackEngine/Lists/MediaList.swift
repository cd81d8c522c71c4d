public import Platform

/// The media of a playlist or podcast feed that an opener has found in place of a medium. The opener throws an error that contains the list
/// (`PlaybackError.list`).
public final class MediaList: Sendable, Hashable {
    /// The address of the playlist.
    public enum Base: Sendable, Equatable {
        case file(FilePath)
        /// The URL after redirects, and whether it was fetched from a public address. If so, the media of the list may not be at private addresses.
        case remote(url: String, isPublic: Bool)
    }

    /// A medium of the playlist after its location was checked.
    public struct Medium: Sendable {
        public var source: MediaSource
        /// The URL in the form that clients may see.
        public var url: String
        public var title: String?
        /// The duration that the playlist gives, in seconds; nil if it gives none.
        public var duration: Double?
        /// The date of publication that the feed gives, in seconds since 1970; nil if it gives none.
        public var publicationDate: Double?
        /// The URL of the picture that the feed gives; nil if the feed gives none, or if the URL cannot be used. The same rules apply to its address
        /// as to the address of the medium.
        public var picture: String?
        /// The reason why the medium cannot be used; nil if no such reason is known.
        public var failure: PlaybackError?
        /// The position of the medium in the playlist, such as "Line 3".
        public var position: String

        public init(source: MediaSource, url: String, title: String? = nil, failure: PlaybackError? = nil, position: String) {
            self.source = source
            self.url = url
            self.title = title
            self.failure = failure
            self.position = position
        }
    }

    /// The format of the playlist; nil for a podcast feed.
    public let format: PlaylistFile.Format?
    public let base: Base
    public let lines: [PlaylistFile.Line]
    /// The media after their locations were checked; nil if the locations were not checked yet, so that none of them may be opened.
    public let media: [Medium]?

    public init(format: PlaylistFile.Format?, base: Base, lines: [PlaylistFile.Line], media: [Medium]? = nil) {
        self.format = format
        self.base = base
        self.lines = lines
        self.media = media
    }

    /// Returns the playlist with checked media.
    public func with(_ media: [Medium]) -> MediaList { MediaList(format: format, base: base, lines: lines, media: media) }

    public static func == (a: MediaList, b: MediaList) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
