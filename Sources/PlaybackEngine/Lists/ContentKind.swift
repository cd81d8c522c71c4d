import Platform

/// The kind of content of a file or response, by its first bytes; its name and the stated content type are only hints.
public enum ContentKind: Sendable, Equatable {
    case list(PlaylistFile.Format)
    /// RSS or Atom; a podcast if its entries have enclosures.
    case feed
    /// The content is neither medium nor playlist; the name has an article, such as "a web page (HTML)".
    case foreign(name: String)
    case medium
    /// More bytes are needed.
    case undecided

    /// The number of first bytes of a content that always suffice to decide its kind.
    public static let sampleSize = 2048
    /// The number of first bytes that contain every signature.
    private static let signatureSize = 16

    /// - Parameters:
    ///   - isWhole: Whether no further bytes follow.
    ///   - hint: The playlist format that the name or the content type states; decides only for a text whose first bytes do not show its format.
    ///   - isFeed: Whether the content type states a feed; decides only for XML whose first element is not among the first bytes.
    public init(_ bytes: [UInt8], isWhole: Bool, hint: PlaylistFile.Format? = nil, isFeed: Bool = false) {
        let sample = Array(bytes.prefix(Self.sampleSize))
        let isComplete = isWhole || sample.count >= Self.sampleSize
        let isMarked = sample.starts(with: [0xFF, 0xFE]) || sample.starts(with: [0xFE, 0xFF])
        let text = isMarked ? Array(ListText.utf8(Array(sample.dropLast(sample.count % 2)))) : sample
        let isText = !sample.isEmpty && !text.contains { $0 == 0x7F || $0 < 0x20 && !(0x09...0x0D).contains($0) && $0 != 0x1B }
        if !isText {
            guard isComplete || sample.count >= Self.signatureSize else {
                self = .undecided
                return
            }
            self = Self.signatures.first { $0.matches(sample) }.map { .foreign(name: $0.name) } ?? .medium
        } else if isComplete {
            let mark = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            self = Self.kind(ofText: ListText.trimmed(text[mark...]), hint: hint, isFeed: isFeed)
        } else {
            self = .undecided
        }
    }

    // MARK: Text

    private static func kind(ofText text: ArraySlice<UInt8>, hint: PlaylistFile.Format?, isFeed: Bool) -> ContentKind {
        if ListText.begins(text, "%pdf-") { return .foreign(name: "a PDF document") }
        if text.first == UInt8(ascii: "<") { return kind(ofTags: text, isFeed: isFeed) }
        if let format = listFormat(text) { return .list(format) }
        if isJSON(text) { return .foreign(name: "a JSON document") }
        if isListOfLocations(text) { return .list(.m3u) }
        if hint == .m3u || hint == .pls, let hint { return .list(hint) }
        return .foreign(name: "a text")
    }

    /// The playlist format that a header or a line with a key of the format shows; nil if there is neither.
    private static func listFormat(_ text: ArraySlice<UInt8>) -> PlaylistFile.Format? {
        for row in ListText.Rows(text) {
            let line = row.text
            if ListText.begins(line, "#ext") { return .m3u }
            if ListText.begins(line, "[playlist]") || ListText.begins(line, "[reference]") { return .pls }
            if line.first == UInt8(ascii: "#") || line.first == UInt8(ascii: ";") { continue }
            let key = line.prefix { $0 != UInt8(ascii: "=") }
            guard key.endIndex < line.endIndex else { return nil }
            let name = ListText.trimmed(key).prefix { !$0.isASCIIDigit }
            return ["file", "title", "numberofentries"].contains { $0.utf8.elementsEqual(name.map(\.asciiLowercased)) } ? .pls : nil
        }
        return nil
    }

    /// The number of lines that are examined in a text without a header.
    private static let examinedLines = 16
    private static let schemes = ["http", "https", "ftp", "file", "mms", "mmsh", "rtsp", "rtmp"]

    /// Whether each of the text's first lines is a comment, a URL, or a name that ends like that of a medium.
    private static func isListOfLocations(_ text: ArraySlice<UInt8>) -> Bool {
        var count = 0
        var rows = ListText.Rows(text)
        while count < examinedLines, let line = rows.next()?.text {
            if line.first == UInt8(ascii: "#") { continue }
            // The last line of a sample may be incomplete.
            guard isLocation(line) || (count > 0 && line.endIndex == text.endIndex) else { return false }
            count += 1
        }
        return count > 0
    }

    private static func isLocation(_ line: ArraySlice<UInt8>) -> Bool {
        let scheme = line.prefix { $0.isASCIILetter }
        if line[scheme.endIndex...].starts(with: "://".utf8) {
            return schemes.contains { $0.utf8.elementsEqual(scheme.map(\.asciiLowercased)) } && !line.contains(UInt8(ascii: " "))
        }
        guard let dot = line.lastIndex(of: UInt8(ascii: ".")), dot > line.startIndex else { return false }
        let ending = line[(dot + 1)...].map(\.asciiLowercased)
        return endings.contains { $0.utf8.elementsEqual(ending) }
    }

    /// The endings by which a line without a header is recognised as a location.
    private static let endings = [
        "mp3", "flac", "ogg", "oga", "opus", "m4a", "m4b", "aac", "wav", "wma", "aiff", "aif", "ape", "wv", "mpc", "mp4", "mka", "mkv", "webm", "mp2",
        "ac3", "dsf", "alac", "m3u", "m3u8", "pls", "xspf", "asx",
    ]

    private static func isJSON(_ text: ArraySlice<UInt8>) -> Bool {
        let next = ListText.trimmed(text.dropFirst()).first
        switch text.first {
        case UInt8(ascii: "{"): return next == UInt8(ascii: "\"") || next == UInt8(ascii: "}")
        case UInt8(ascii: "["): return next.map { "{[\"]-".utf8.contains($0) || $0.isASCIIDigit } ?? false
        default: return false
        }
    }

    /// The kind of an XML or HTML document, by the name of its first element.
    private static func kind(ofTags text: ArraySlice<UInt8>, isFeed: Bool) -> ContentKind {
        if ListText.begins(text, "<?wpl") { return .foreign(name: "a Windows Media playlist (WPL)") }
        if ListText.begins(text, "<!doctype html") { return .foreign(name: page) }
        var reader = TagReader(text)
        while let token = reader.next() {
            guard case .start(let name, _) = token else { continue }
            return kind(ofRoot: name)
        }
        // The reader stops at a document type, so the name of this type decides. A playlist with a document type is refused when it is read.
        let unnamed = isFeed ? Self.feed : .foreign(name: "an XML document")
        guard reader.declaresType else { return unnamed }
        let names = [
            ("playlist", Self.list(.xspf)), ("asx", .list(.asx)), ("rss", .feed), ("feed", .feed), ("html", .foreign(name: page)),
            ("svg", .foreign(name: "a picture (SVG)")),
        ]
        let type = text.indices.lazy.filter { ListText.begins(text[$0...], "<!doctype") }.first.map {
            text[($0 + 9)...].drop(while: ListText.isSpace)
        }
        let declared = names.first { name, _ in type?.prefix(name.utf8.count).map(\.asciiLowercased).elementsEqual(name.utf8) ?? false }
        return declared?.1 ?? unnamed
    }

    private static let page = "a web page (HTML)"

    private static func kind(ofRoot name: String) -> ContentKind {
        switch name {
        case "playlist": .list(.xspf)
        case "asx": .list(.asx)
        case "html", "head", "body", "script", "meta", "title", "div", "p", "a", "center", "h1", "table": .foreign(name: page)
        case "rss", "feed": .feed
        case "rdf": .foreign(name: "a feed without media (RSS 1.0)")
        case "mpd": .foreign(name: "a description of an MPEG-DASH stream")
        case "smil": .foreign(name: "a SMIL presentation")
        case "svg": .foreign(name: "a picture (SVG)")
        default: .foreign(name: "an XML document")
        }
    }

    // MARK: Signatures

    private struct Signature: Sendable {
        var name: String
        var bytes: [UInt8]
        var offset = 0

        func matches(_ sample: [UInt8]) -> Bool { sample.dropFirst(offset).starts(with: bytes) }
    }

    private static let signatures: [Signature] = [
        Signature(name: "a PDF document", bytes: Array("%PDF-".utf8)),
        Signature(name: "a ZIP archive", bytes: [0x50, 0x4B, 0x03, 0x04]),
        Signature(name: "a ZIP archive", bytes: [0x50, 0x4B, 0x05, 0x06]),
        Signature(name: "a RAR archive", bytes: Array("Rar!".utf8) + [0x1A, 0x07]),
        Signature(name: "a 7-Zip archive", bytes: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Signature(name: "a compressed file (gzip)", bytes: [0x1F, 0x8B, 0x08]),
        Signature(name: "a compressed file (XZ)", bytes: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        Signature(name: "a picture (PNG)", bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Signature(name: "a picture (JPEG)", bytes: [0xFF, 0xD8, 0xFF]),
        Signature(name: "a picture (GIF)", bytes: Array("GIF87a".utf8)),
        Signature(name: "a picture (GIF)", bytes: Array("GIF89a".utf8)),
        Signature(name: "a picture (WebP)", bytes: Array("WEBP".utf8), offset: 8),
        Signature(name: "a picture (AVIF)", bytes: Array("ftypavif".utf8), offset: 4),
        Signature(name: "a picture (HEIC)", bytes: Array("ftypheic".utf8), offset: 4),
        Signature(name: "a program", bytes: [0x7F, 0x45, 0x4C, 0x46]),
        Signature(name: "a database (SQLite)", bytes: Array("SQLite format 3".utf8)),
    ]
}
