import Platform

/// A playlist file (M3U, PLS, XSPF or ASX), read from its bytes alone, which are hostile.
public struct PlaylistFile: Sendable {
    public struct Line: Sendable {
        /// A URL, an absolute path, or a reference relative to the file.
        public var location: String
        public var title: String?
        /// The duration in seconds; nil also if it is negative.
        public var duration: Double?
        /// The date that a feed states, in seconds since 1970.
        public var publicationDate: Double?
        /// The picture that a feed states.
        public var picture: Reference?
        /// The number of the line with the location, from 1 on; in XSPF, ASX and feeds the number of the entry.
        public var number = 1
        /// Whether the location is a URI reference (XSPF, ASX, feeds). In M3U and PLS, a path is percent-decoded only if it does not
        /// exist as written.
        public var isReference = false
        /// The `xml:base` attributes of a feed, the outermost first; each is relative to the one before, the first to the file.
        public var bases: [String] = []
        /// The bytes of the location in a file that is not UTF-8, because paths are bytes in any encoding: `location` has them as windows-1252.
        public var originalBytes: [UInt8]? { isWindows1252 ? location.unicodeScalars.compactMap(Windows1252.byte) : nil }
        /// Whether the file is not UTF-8 and was read as windows-1252.
        public var isWindows1252 = false

        public init(location: String, title: String? = nil, duration: Double? = nil, number: Int = 1, isReference: Bool = false) {
            self.location = location
            self.title = title
            self.duration = duration
            self.number = number
            self.isReference = isReference
        }
    }

    /// A reference to something other than a medium, such as a picture.
    public struct Reference: Sendable {
        /// A URL, or a reference relative to `bases` and the feed.
        public var location: String
        /// The `xml:base` attributes, the outermost first.
        public var bases: [String]

        public init(location: String, bases: [String]) {
            self.location = location
            self.bases = bases
        }
    }

    /// The format of a playlist file.
    public enum Format: String, Sendable, CaseIterable {
        case m3u, pls, xspf, asx

        /// The format that the extension of a file name states; nil for any other extension.
        public init?(name: String) {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return nil }
            let ending = name.utf8[dot...].dropFirst().map(\.asciiLowercased)
            guard let format = Self.endings.first(where: { $0.ending.utf8.elementsEqual(ending) })?.format else { return nil }
            self = format
        }

        private static let endings: [(ending: String, format: Format)] = [
            ("m3u", .m3u), ("m3u8", .m3u), ("pls", .pls), ("xspf", .xspf), ("asx", .asx), ("wax", .asx), ("wvx", .asx),
        ]

        /// The name for users.
        public var name: String {
            switch self {
            case .m3u: "M3U"
            case .pls: "PLS"
            case .xspf: "XSPF"
            case .asx: "ASX"
            }
        }
    }

    /// The greatest number of locations that are read.
    public static let maximumCount = 10_000
    /// The greatest size of a file, in bytes.
    public static let maximumSize = 4 << 20

    public private(set) var lines: [Line] = []
    /// Whether there are more locations than `maximumCount`.
    public private(set) var isTooLong = false
    /// Whether the file is an HTTP Live Streaming playlist: its locations are the segments of one stream, and not media of their own.
    public private(set) var isStream = false
    /// Whether the file has a document type declaration, which may define entities. Nothing is read from such a file.
    public private(set) var declaresType = false

    /// Reads a file. Text that is not UTF-8 or UTF-16 with a byte order mark is read as windows-1252.
    public init(_ bytes: [UInt8], format: Format) {
        let text = ListText.utf8(bytes)
        switch format {
        case .m3u, .pls:
            if format == .m3u { readM3U(text) } else { readPLS(text) }
            if ListText.isWindows1252(bytes) { for index in lines.indices { lines[index].isWindows1252 = true } }
        case .xspf, .asx:
            let document = format == .xspf ? XMLTrackList.xspf(text) : XMLTrackList.asx(text)
            declaresType = document.declaresType
            for line in document.lines where !add(line) { break }
        }
    }

    /// Adds a line. Returns false if `lines` is full.
    private mutating func add(_ line: Line) -> Bool {
        guard lines.count < Self.maximumCount else {
            isTooLong = true
            return false
        }
        lines.append(line)
        return true
    }

    /// Reads locations, each after an optional `#EXTINF:seconds attributes,title`; other lines with `#` are comments.
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

    /// The index after the first comma that is not in quotes.
    private static func titleStart(_ facts: ArraySlice<UInt8>) -> Int {
        var isQuoted = false
        for (index, byte) in zip(facts.indices, facts) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ","), !isQuoted { return index + 1 }
        }
        // An unpaired quote may put all commas in quotes; then the first counts.
        return facts.firstIndex(of: UInt8(ascii: ",")).map { $0 + 1 } ?? facts.endIndex
    }

    /// Reads `File1=location`, `Title1=title` and `Length1=seconds`, in any order; also `Ref1=location` of ASF reference files.
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

    /// The location without quotes, and a URL without the options of other players (`|User-Agent=…`).
    private static func location(_ text: ArraySlice<UInt8>) -> String {
        var text = text
        let quote = UInt8(ascii: "\"")
        if text.count > 2, text.first == quote, text.last == quote { text = ListText.trimmed(text.dropFirst().dropLast()) }
        if ListText.begins(text, "http://") || ListText.begins(text, "https://") { text = text.prefix { $0 != UInt8(ascii: "|") } }
        return ListText.string(text)
    }
}
