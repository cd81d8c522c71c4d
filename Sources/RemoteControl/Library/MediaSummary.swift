import Platform
import PlaybackEngine

/// The facts about a medium that a listing of a folder shows. All properties are nil if the medium cannot be read.
struct MediaSummary: Sendable, Equatable {
    /// The maximum size of a title, artist or album, in bytes. A longer text is cut.
    static let maximumTextSize = 256

    var title: String?
    var artist: String?
    var album: String?
    /// The duration in seconds; nil if it is unknown.
    var duration: Double?
    /// The identifier of the picture's content; nil if the medium has no picture.
    var pictureID: String?

    init() {}

    init(_ info: MediaInfo) {
        title = info.tag("title").map(Self.cut)
        artist = info.tag("artist").map(Self.cut)
        album = info.tag("album").map(Self.cut)
        duration = info.duration.seconds
        pictureID = info.artwork.map { Self.pictureID($0.data) }
    }

    /// The approximate size of the summary in memory, in bytes.
    var byteCount: Int { 256 + [title, artist, album, pictureID].reduce(0) { $0 + ($1?.utf8.count ?? 0) } }

    /// Returns the identifier of a picture with these bytes: their FNV-1a hash in 16 hexadecimal digits.
    static func pictureID(_ bytes: [UInt8]) -> String {
        let digits = String(EntityTag.fnv1a(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Returns a text, cut after a whole character if it is too long.
    private static func cut(_ text: OuterText) -> String {
        guard text.utf8.count > maximumTextSize else { return String(text) }
        var bytes = Array(text.utf8.prefix(maximumTextSize))
        while String(validating: bytes, as: UTF8.self) == nil { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A cache of the summaries that were read last. The size of the cache is limited, because a library may have a hundred thousand files.
struct MediaSummaryCache {
    /// The maximum number of summaries, which is more than one listing can have.
    static let maximumCount = 16_384
    /// The maximum size of all summaries together, in bytes.
    static let maximumSize = 8 << 20

    private let maximumCount: Int
    private let maximumSize: Int
    private var summaries: [FileIdentity: MediaSummary] = [:]
    /// The identities of files in the order in which their summaries were added. The summaries of those before the index `oldest` were removed.
    private var order: [FileIdentity] = []
    private var oldest = 0
    private(set) var byteCount = 0

    init(maximumCount: Int = maximumCount, maximumSize: Int = maximumSize) {
        self.maximumCount = maximumCount
        self.maximumSize = maximumSize
    }

    var count: Int { summaries.count }

    subscript(file: FileIdentity) -> MediaSummary? { summaries[file] }

    /// Adds the summary of a file. If the new summary makes the cache exceed a limit, removes the summaries that were added first.
    mutating func insert(_ summary: MediaSummary, of file: FileIdentity) {
        guard summaries[file] == nil else { return }
        summaries[file] = summary
        order.append(file)
        byteCount += summary.byteCount
        while byteCount > maximumSize || summaries.count > maximumCount, oldest < order.count - 1 {
            byteCount -= summaries.removeValue(forKey: order[oldest])?.byteCount ?? 0
            oldest += 1
        }
        if oldest > order.count / 2 {
            order.removeFirst(oldest)
            oldest = 0
        }
    }
}
