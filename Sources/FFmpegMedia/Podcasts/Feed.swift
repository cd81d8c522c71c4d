public import PlaybackEngine

/// A podcast feed: the entries of an RSS 2.0 or Atom document that have an enclosure, the newest first. Its contents depend only on the bytes of the
/// document, which are hostile.
///
/// The rules are those of the RSS 2.0 specification (https://www.rssboard.org/rss-specification), of RFC 4287 (Atom), and of Apple's tags for
/// podcasts (https://podcasters.apple.com/support/823-podcast-requirements). Elements are recognised by their namespaces, not by the prefixes.
public struct Feed: Sendable {
    public enum Format: Sendable, Equatable {
        case rss, atom

        /// The name of the format for users.
        public var name: String {
            switch self {
            case .rss: "RSS"
            case .atom: "Atom"
            }
        }
    }

    /// An entry with an enclosure.
    public struct Entry: Sendable {
        /// The title in one line; nil if the feed gives none. At most `maximumTitleLength` bytes of UTF-8.
        public var title: String?
        /// The URL of the enclosure, or a reference relative to `bases` and the address of the feed.
        public var location = ""
        /// The values of `xml:base` around the enclosure, the outermost first.
        public var bases: [String] = []
        /// The date of publication, in seconds since 1970; nil if it is missing or malformed.
        public var publicationDate: Double?
        /// The duration, in seconds; nil if it is missing, malformed or 0.
        public var duration: Double?
        /// The picture of the entry, otherwise of the feed; nil if there is none.
        public var picture: Picture?
        /// The number of the entry in the document, from 1 on.
        public var number = 1
    }

    /// A picture of an entry or of a feed.
    public struct Picture: Sendable, Equatable {
        /// The URL of the picture, or a reference relative to `bases` and the address of the feed.
        public var location: String
        /// The values of `xml:base` around the picture, the outermost first.
        public var bases: [String]
    }

    /// The largest size of a feed, in bytes. Feeds of 1,000 entries with their descriptions have up to 10 MB.
    public static let maximumSize = 16 << 20
    /// The largest number of entries with an enclosure.
    public static let maximumCount = PlaylistFile.maximumCount
    /// The largest depth of nested elements.
    public static let maximumDepth = 64
    /// The largest size of a title, in bytes of UTF-8. A longer one is cut off.
    public static let maximumTitleLength = 1024
    /// The largest number of values of `xml:base` around any element of the feed, and the largest size of one value in bytes.
    public static let maximumBaseCount = 4
    public static let maximumBaseLength = 1024

    public let format: Format
    /// The title of the feed; nil if it has none.
    public let title: String?
    /// The entries, the newest first. Entries without a date follow in the order of the feed.
    public let entries: [Entry]
    /// Whether the document ends before the end of its root element. `entries` then contains only the complete entries.
    public let isTruncated: Bool

    /// Reads a document in UTF-8, UTF-16, US-ASCII or windows-1252, which ISO 8859-1 means too. Throws if it is not a podcast feed, is malformed, has
    /// another encoding or a document type with declarations, or exceeds a limit.
    public init(_ bytes: [UInt8]) throws(FeedError) {
        let reading = try FeedParser.read(bytes)
        guard let format = reading.format else { throw .notFeed }
        guard !reading.entries.isEmpty else { throw reading.isTruncated ? .truncated : .noEnclosures }
        self.format = format
        title = reading.title
        isTruncated = reading.isTruncated
        let described = reading.entries.map { entry in
            var entry = entry
            entry.picture = entry.picture ?? reading.picture
            return entry
        }
        // Entries with equal dates, and entries without a date, keep their order in the document.
        entries = described.sorted { a, b in
            switch (a.publicationDate, b.publicationDate) {
            case (let x?, let y?) where x != y: x > y
            case (_?, nil): true
            case (nil, _?): false
            default: a.number < b.number
            }
        }
    }

    /// The entries as lines of a playlist.
    public var lines: [PlaylistFile.Line] {
        entries.map { entry in
            var line = PlaylistFile.Line(
                location: entry.location, title: entry.title, duration: entry.duration, number: entry.number, isReference: true)
            line.bases = entry.bases
            line.publicationDate = entry.publicationDate
            line.picture = entry.picture.map { PlaylistFile.Reference(location: $0.location, bases: $0.bases) }
            return line
        }
    }
}

/// The reason why a feed cannot be used.
public enum FeedError: Error, Sendable {
    case notFeed, noEnclosures, truncated, tooManyEntries, tooDeep, tooManyBases, declaresType
    /// The document has an unsupported encoding, whose name is `name`.
    case encoding(name: String)
    /// The document is not well-formed. `line` is the number of the damaged line, from 1 on; `reason` is the parser's message.
    case malformed(line: Int, reason: String)

    /// Whether the document is not a podcast at all, in contrast to a podcast that cannot be used.
    public var isForeign: Bool {
        switch self {
        case .notFeed, .noEnclosures: true
        case .truncated, .tooManyEntries, .tooDeep, .tooManyBases, .declaresType, .encoding, .malformed: false
        }
    }

    /// The reason for users, as a sentence.
    public var message: String {
        switch self {
        case .notFeed: "The document is not a feed (RSS or Atom)."
        case .noEnclosures: "The feed is not a podcast: none of its entries has an enclosure with audio or video."
        case .truncated: "The feed is incomplete, and ends before its first enclosure."
        case .tooManyEntries: "The feed has more than \(Feed.maximumCount) entries."
        case .tooDeep: "The feed has elements in more than \(Feed.maximumDepth) others."
        case .tooManyBases: "The feed has a base address (xml:base) that is too long, or in more than \(Feed.maximumBaseCount - 1) others."
        case .declaresType: "The feed declares its own document type (DTD), which is not accepted."
        case .encoding(let name): "The encoding of the feed, “\(name)”, is not supported."
        case .malformed(let line, let reason): "The feed is not well-formed XML: line \(line), \(reason)."
        }
    }
}
