import Platform

/// A playlist file (M3U, PLS, XSPF or ASX), read as a list of locations with titles. The result depends only on the file's bytes, which are hostile.
public struct PlaylistFile: Sendable {
    public struct Line: Sendable {
        /// A URL, an absolute path, or a reference relative to the address of the file.
        public var location: String
        /// The title that the file gives; nil if it gives none.
        public var title: String?
        /// The duration that the file gives, in seconds; nil if it gives none, or a negative one.
        public var duration: Double?
        /// The date of publication that a feed gives, in seconds since 1970; nil if it gives none.
        public var publicationDate: Double?
        /// The picture that a feed gives; nil if it gives none.
        public var picture: Reference?
        /// The number of the line in the file that gives the location, from 1 on; in XSPF, ASX and feeds the number of the entry.
        public var number = 1
        /// Whether the format defines the location as a URI reference (XSPF, ASX, feeds), so that a path in it may be percent-encoded. In M3U and PLS
        /// a path is taken as written, and percent-decoded only if no such file exists.
        public var isReference = false
        /// The base addresses of the location (`xml:base` of feeds), the outermost first. The first is relative to the address of the file, each
        /// other to the preceding one, and the location to the last.
        public var bases: [String] = []
        /// The bytes of the location, if the file is not UTF-8; otherwise nil. Each character of `location` is one of these bytes, read as ISO
        /// 8859-1. The original bytes are needed because a path in such a file may be in any encoding.
        public var originalBytes: [UInt8]? { isLatin1 ? location.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : nil }
        /// Whether the text of the file was read as ISO 8859-1, because it is not UTF-8.
        public var isLatin1 = false

        public init(location: String, title: String? = nil, duration: Double? = nil, number: Int = 1, isReference: Bool = false) {
            self.location = location
            self.title = title
            self.duration = duration
            self.number = number
            self.isReference = isReference
        }
    }

    /// A reference of a feed to something other than a medium, such as a picture.
    public struct Reference: Sendable {
        /// A URL, or a reference relative to `bases` and the address of the feed.
        public var location: String
        /// The addresses of `xml:base` around the reference, the outermost first.
        public var bases: [String]

        public init(location: String, bases: [String]) {
            self.location = location
            self.bases = bases
        }
    }

    /// The format of a playlist file.
    public enum Format: String, Sendable, CaseIterable {
        case m3u, pls, xspf, asx

        /// The format of a file by the extension of its name; nil if the name is not that of a playlist file.
        public init?(name: String) {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return nil }
            let ending = name.utf8[dot...].dropFirst().map(\.asciiLowercased)
            guard let format = Self.endings.first(where: { $0.ending.utf8.elementsEqual(ending) })?.format else { return nil }
            self = format
        }

        private static let endings: [(ending: String, format: Format)] = [
            ("m3u", .m3u), ("m3u8", .m3u), ("pls", .pls), ("xspf", .xspf), ("asx", .asx), ("wax", .asx), ("wvx", .asx),
        ]

        /// The name of the format for users.
        public var name: String {
            switch self {
            case .m3u: "M3U"
            case .pls: "PLS"
            case .xspf: "XSPF"
            case .asx: "ASX"
            }
        }
    }

    /// The maximum number of locations that are read from a playlist file.
    public static let maximumCount = 10_000
    /// The maximum size of a playlist file, in bytes.
    public static let maximumSize = 4 << 20

    public private(set) var lines: [Line] = []
    /// Whether the file has more locations than `maximumCount`. If so, `lines` has only the first `maximumCount` locations.
    public private(set) var isTooLong = false
    /// Whether the file describes the segments of one stream (HTTP Live Streaming), which is a medium and not a list of media.
    public private(set) var isStream = false
    /// Whether the file declares a document type, which may define entities. Nothing is read of such a file.
    public private(set) var declaresType = false

    /// Reads a playlist file. Text that is not UTF-8 or UTF-16 with a byte order mark is read as ISO 8859-1. Lines without a location are skipped.
    public init(_ bytes: [UInt8], format: Format) {
        let text = ListText.utf8(bytes)
        switch format {
        case .m3u, .pls:
            if format == .m3u { readM3U(text) } else { readPLS(text) }
            if ListText.isLatin1(bytes) { for index in lines.indices { lines[index].isLatin1 = true } }
        case .xspf, .asx:
            let document = format == .xspf ? TrackList.xspf(text) : TrackList.asx(text)
            declaresType = document.declaresType
            for line in document.lines where !add(line) { break }
        }
    }

    /// Adds a location. Returns false, without adding it, if `lines` has `maximumCount` locations already.
    private mutating func add(_ line: Line) -> Bool {
        guard lines.count < Self.maximumCount else {
            isTooLong = true
            return false
        }
        lines.append(line)
        return true
    }

    /// Reads the lines of an M3U file: locations, each after an optional line `#EXTINF:seconds attributes,title`. Other lines with `#` are comments.
    private mutating func readM3U(_ text: ArraySlice<UInt8>) {
        var title: String?
        var duration: Double?
        for row in ListText.Rows(text) {
            guard row.text.first == UInt8(ascii: "#") else {
                guard add(Line(location: Self.location(row.text), title: title, duration: duration, number: row.number)) else { return }
                (title, duration) = (nil, nil)
                continue
            }
            if ListText.begins(row.text, "#ext-x-") { isStream = true }
            guard ListText.begins(row.text, "#extinf:") else { continue }
            let facts = row.text.dropFirst("#extinf:".utf8.count)
            duration = ListText.seconds(facts)
            let text = ListText.trimmed(facts[Self.titleStart(facts)...])
            title = text.isEmpty ? nil : ListText.string(text)
        }
    }

    /// Returns the index of the title in the facts of a line `#EXTINF:`: after the first comma that is not in quotes.
    private static func titleStart(_ facts: ArraySlice<UInt8>) -> Int {
        var isQuoted = false
        for (index, byte) in zip(facts.indices, facts) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ","), !isQuoted { return index + 1 }
        }
        // If all commas are in quotes, for example because an unpaired quotation mark precedes them, the first comma counts.
        return facts.firstIndex(of: UInt8(ascii: ",")).map { $0 + 1 } ?? facts.endIndex
    }

    /// Reads the lines of a PLS file: `File1=location`, `Title1=title` and `Length1=seconds`, in any order. The numbers give the order. The lines
    /// `Ref1=location` of an ASF reference file mean the same.
    private mutating func readPLS(_ text: ArraySlice<UInt8>) {
        var locations: [Int: Line] = [:]
        var titles: [Int: String] = [:]
        var durations: [Int: Double] = [:]
        for row in ListText.Rows(text) {
            guard let equals = row.text.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = ListText.trimmed(row.text[..<equals])
            let value = ListText.trimmed(row.text[(equals + 1)...])
            guard let digit = key.firstIndex(where: \.isASCIIDigit), key.endIndex - digit <= 9,
                let number = Int(ListText.string(key[digit...])), !value.isEmpty
            else { continue }
            let name = key[..<digit].map(\.asciiLowercased)
            if name.elementsEqual("file".utf8) || name.elementsEqual("ref".utf8) {
                guard locations[number] != nil || locations.count < Self.maximumCount else {
                    isTooLong = true
                    break
                }
                locations[number] = Line(location: Self.location(value), number: row.number)
            }
            if titles.count < Self.maximumCount, name.elementsEqual("title".utf8) { titles[number] = ListText.string(value) }
            if durations.count < Self.maximumCount, name.elementsEqual("length".utf8) { durations[number] = ListText.seconds(value) }
        }
        lines = locations.sorted { $0.key < $1.key }.map { number, line in
            var line = line
            (line.title, line.duration) = (titles[number], durations[number])
            return line
        }
    }

    /// Returns the location that a line of a playlist states. Quotes around the location are removed, and after a URL also the options of other
    /// players (`|User-Agent=…`).
    private static func location(_ text: ArraySlice<UInt8>) -> String {
        var text = text
        let quote = UInt8(ascii: "\"")
        if text.count > 2, text.first == quote, text.last == quote { text = ListText.trimmed(text.dropFirst().dropLast()) }
        if ListText.begins(text, "http://") || ListText.begins(text, "https://") { text = text.prefix { $0 != UInt8(ascii: "|") } }
        return ListText.string(text)
    }
}
