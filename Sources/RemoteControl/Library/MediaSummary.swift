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
        func text(_ key: String) -> String? { info.values(key).joined.map(Self.cut) }
        title = text("title")
        artist = text("artist")
        album = text("album")
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
