import Platform

/// A playlist of HTTP Live Streaming (RFC 8216, and its successor draft-pantos-hls-rfc8216bis), read from its bytes alone, which are hostile.
///
/// What audio does not need is not read. A playlist that breaks the rules in a way that players forgive is read (a byte order mark, lines that end
/// with CR LF, no media sequence, no target duration, unknown tags); one in which a guess could play other bytes than the author means is refused.
enum HLSPlaylist: Sendable {
    case media(HLSMedia)
    case master(HLSMaster)

    /// The greatest size of a playlist, and of all its texts after their variables were replaced; that of a line, and of such a text. In bytes.
    static let maximumSize = 4 << 20, maximumLine = 8 << 10
    /// The greatest number of segments of a playlist, and of variants, renditions and variables.
    static let maximumSegments = 20_000, maximumEntries = 1000

    /// - Parameters:
    ///   - query: The query of the playlist's URL without `?`, from which the playlist may take variables (`QUERYPARAM`).
    ///   - imported: The variables of the master playlist that named this playlist (`IMPORT`).
    init(_ bytes: [UInt8], query: String = "", importing imported: HLSVariables = HLSVariables()) throws(HLSError) {
        var reader = HLSReader(query: query, imported: imported)
        try reader.read(bytes)
        self = try reader.playlist()
    }
}

/// The segments of one stream.
struct HLSMedia: Sendable {
    /// A part of a stream that is a resource, or a range of its bytes.
    struct Segment: Sendable, Equatable {
        /// The URL, or a reference relative to the playlist.
        var location: String
        /// The range of bytes; nil for the whole resource.
        var range: Range<Int64>?
        /// The stated duration, in seconds.
        var duration: Double
        /// The media sequence number.
        var number: Int64
        /// Whether the segment does not continue the segment before it.
        var isDiscontinuous = false
        /// Whether the segment is missing on purpose.
        var isGap = false
        /// The date of its first sample, in seconds since 1970; nil if the playlist does not state it.
        var date: Double?
        var map: HLSMap?
        var key: HLSKey?
    }

    var segments: [Segment] = []
    /// The longest duration of a segment, in seconds, at least 1. If the playlist does not state it, it follows from the segments.
    var targetDuration = 1.0
    /// The number of the first segment.
    var sequence: Int64 = 0
    /// Whether no segment will be added.
    var hasEnded = false
    /// Where playback is to begin, in seconds from the start; if negative, from the end of the last segment. Nil if the playlist does not state it.
    var start: Double?
    /// Whether playback is to begin exactly at `start`, and not with the segment that contains it.
    var isStartPrecise = false
    /// The distance from the end of a live stream that players are to keep, in seconds; nil if the server does not state it.
    var holdBack: Double?
}

/// The variants of one stream, and the renditions of their sound.
struct HLSMaster: Sendable {
    struct Variant: Sendable, Equatable {
        var location: String
        /// The greatest number of bits per second.
        var bandwidth: Int
        /// The names of the codecs (RFC 6381); nil if the playlist does not state them.
        var codecs: [String]?
        /// Whether the variant has pictures, as far as the playlist states it.
        var hasVideo = false
        /// The group of renditions that contains the variant's sound; nil if the variant contains it itself.
        var audioGroup: OuterText?
    }

    /// Sound that a variant can be played with.
    struct Rendition: Sendable, Equatable {
        var group: OuterText
        /// The URL or reference of the rendition; nil if each variant contains the rendition.
        var location: String?
        var isDefault = false
        /// Whether a player may choose the rendition by the user's language.
        var isChosenBySystem = false
    }

    var variants: [Variant] = []
    var renditions: [Rendition] = []
    var variables = HLSVariables()
}

/// The bytes that a decoder needs before those of a segment.
final class HLSMap: Sendable, Equatable {
    let location: String
    let range: Range<Int64>?
    let key: HLSKey?

    init(location: String, range: Range<Int64>?, key: HLSKey?) {
        self.location = location
        self.range = range
        self.key = key
    }

    static func == (one: HLSMap, other: HLSMap) -> Bool {
        one === other || one.location.utf8.elementsEqual(other.location.utf8) && one.range == other.range && one.key == other.key
    }
}

/// The encryption of a segment or a map.
final class HLSKey: Sendable, Equatable {
    enum Method: Sendable { case aes128, unsupported }
    let method: Method
    /// The URL or reference of the key's 16 bytes; empty if the method is unsupported.
    let location: String
    /// The initialization vector; nil if it is the number of the segment.
    let vector: [UInt8]?

    init(method: Method, location: String, vector: [UInt8]?) {
        self.method = method
        self.location = location
        self.vector = vector
    }

    static func == (one: HLSKey, other: HLSKey) -> Bool {
        one === other || one.method == other.method && one.location.utf8.elementsEqual(other.location.utf8) && one.vector == other.vector
    }
}

/// The reason why a playlist cannot be played.
enum HLSError: Error, Equatable {
    case notPlaylist
    case tooLarge
    case tooManyEntries
    case lineTooLong(line: Int)
    case malformed(line: Int)
    case undefinedVariable(line: Int)

    /// The sentence for users.
    var message: String {
        switch self {
        case .notPlaylist: "The content is no playlist of HTTP Live Streaming (HLS)."
        case .tooLarge: "The playlist has more than \(HLSPlaylist.maximumSize >> 20) MiB."
        case .tooManyEntries: "The playlist has more than \(HLSPlaylist.maximumSegments) segments, or \(HLSPlaylist.maximumEntries) variants."
        case .lineTooLong(let line): "Line \(line) of the playlist has more than \(HLSPlaylist.maximumLine >> 10) KiB."
        case .malformed(let line): "Line \(line) of the playlist is malformed."
        case .undefinedVariable(let line): "Line \(line) of the playlist has a variable that is not defined."
        }
    }
}
