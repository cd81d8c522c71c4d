import Platform

/// Reads the lines of a playlist in their order.
struct HLSReader {
    private let query: String
    private let imported: HLSVariables
    private var variables = HLSVariables()
    private var media = HLSMedia()
    private var master = HLSMaster()
    /// The number of the present line, from 1 on.
    private var line = 0
    /// The size of all texts in which variables were replaced, in bytes.
    private var expandedSize = 0

    // What the tags before a location state about it.
    private var duration: Double?
    private var range: (length: Int64, start: Int64?)?
    private var isDiscontinuous = false
    private var isGap = false
    private var date: Double?
    private var variant: HLSMaster.Variant?

    // What a tag states about all following segments.
    private var map: HLSMap?
    /// The keys by the format of the key. If several formats are given, each opens the same segments.
    private var keys: [(format: OuterText, key: HLSKey)] = []
    private var statesTarget = false
    /// The last segment's location and the end of its range, where the next range begins if it does not state its start.
    private var lastRange: (location: String, end: Int64)?

    /// The longest name of a tag that is read, in bytes.
    private static let longestName = 32
    /// The greatest number of key formats.
    private static let maximumKeys = 16
    /// The greatest number of bytes of a resource, and the greatest sequence number.
    private static let furthest: Int64 = 1 << 60
    /// The longest duration, in seconds.
    private static let longest = 1e9
    private static let identity: OuterText = "identity"

    init(query: String, imported: HLSVariables) {
        self.query = query
        self.imported = imported
    }

    mutating func read(_ bytes: [UInt8]) throws(HLSError) {
        guard !bytes.isEmpty else { throw .notPlaylist }
        guard bytes.count <= HLSPlaylist.maximumSize else { throw .tooLarge }
        var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0A) ?? rest.endIndex
            let text = HLSReader.trimmed(rest[..<end])
            rest = end < rest.endIndex ? rest[(end + 1)...] : []
            line += 1
            guard text.count <= HLSPlaylist.maximumLine else { throw .lineTooLong(line: line) }
            if line == 1 {
                guard text.starts(with: "#EXTM3U".utf8) else { throw .notPlaylist }
            } else if text.starts(with: "#EXT".utf8) {
                let name = text.prefix { $0 != UInt8(ascii: ":") }
                guard name.count <= HLSReader.longestName else { continue }
                try readTag(String(decoding: name, as: UTF8.self), text[name.endIndex...].dropFirst())
            } else if let first = text.first, first != UInt8(ascii: "#") {
                try readLocation(text)
            }
        }
    }

    /// Returns the playlist that was read. A playlist of both kinds is refused.
    func playlist() throws(HLSError) -> HLSPlaylist {
        guard master.variants.isEmpty else {
            guard media.segments.isEmpty else { throw .notPlaylist }
            var master = master
            master.variables = variables
            return .master(master)
        }
        var media = media
        if !statesTarget { media.targetDuration = max(1, media.segments.reduce(1) { max($0, $1.duration) }.rounded(.up)) }
        for index in media.segments.indices { media.segments[index].number = media.sequence + Int64(index) }
        return .media(media)
    }

    // MARK: Lines

    private mutating func readLocation(_ text: ArraySlice<UInt8>) throws(HLSError) {
        let location = try expanded(text)
        if var variant {
            self.variant = nil
            variant.location = location
            guard master.variants.count < HLSPlaylist.maximumEntries else { throw .tooManyEntries }
            master.variants.append(variant)
            return
        }
        guard let duration else { throw malformed }
        guard media.segments.count < HLSPlaylist.maximumSegments else { throw .tooManyEntries }
        let range = try resolvedRange(location)
        media.segments.append(
            HLSMedia.Segment(
                location: location, range: range, duration: duration, number: 0, isDiscontinuous: isDiscontinuous, isGap: isGap, date: date, map: map,
                key: key))
        lastRange = range.map { (location, $0.upperBound) }
        (self.duration, self.range, isDiscontinuous, isGap, date) = (nil, nil, false, false, nil)
    }

    private mutating func readTag(_ name: String, _ value: ArraySlice<UInt8>) throws(HLSError) {
        switch name {
        case "#EXTINF": duration = try seconds(value.prefix { $0 != UInt8(ascii: ",") })
        case "#EXT-X-BYTERANGE": range = try byteRange(value)
        case "#EXT-X-DISCONTINUITY": isDiscontinuous = true
        case "#EXT-X-GAP": isGap = true
        case "#EXT-X-KEY": try readKey(value)
        case "#EXT-X-MAP": try readMap(value)
        case "#EXT-X-PROGRAM-DATE-TIME": date = HLSReader.date(value)
        case "#EXT-X-TARGETDURATION":
            media.targetDuration = max(1, try seconds(value))
            statesTarget = true
        case "#EXT-X-MEDIA-SEQUENCE": media.sequence = try number(value)
        case "#EXT-X-ENDLIST": media.hasEnded = true
        case "#EXT-X-PLAYLIST-TYPE":
            // A server that calls its playlist complete does not change it, also without the tag of the end.
            if value.elementsEqual("VOD".utf8) { media.hasEnded = true }
        case "#EXT-X-START": try readStart(value)
        case "#EXT-X-SERVER-CONTROL": media.holdBack = try attributes(value).text("HOLD-BACK").map { text throws(HLSError) in try seconds(text) }
        case "#EXT-X-DEFINE": try readDefinition(value)
        case "#EXT-X-STREAM-INF": try readVariant(value)
        case "#EXT-X-MEDIA": try readRendition(value)
        default: break
        }
    }

    // MARK: Tags of segments

    private mutating func readKey(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        guard let method = attributes.text("METHOD") else { throw malformed }
        if method.elementsEqual("NONE".utf8) {
            keys = []
            return
        }
        let format = OuterText(attributes.text("KEYFORMAT").map { String(decoding: $0, as: UTF8.self) } ?? "identity")
        var key = HLSKey(method: .unsupported, location: "", vector: nil)
        if method.elementsEqual("AES-128".utf8), format == HLSReader.identity {
            guard let location = attributes.text("URI"), !location.isEmpty else { throw malformed }
            let vector = try attributes.text("IV").map { text throws(HLSError) in try self.vector(text) }
            key = HLSKey(method: .aes128, location: String(decoding: location, as: UTF8.self), vector: vector)
        }
        if let index = keys.firstIndex(where: { $0.format == format }) {
            // Segments with the same key share it.
            if keys[index].key != key { keys[index].key = key }
        } else {
            guard keys.count < HLSReader.maximumKeys else { throw .tooManyEntries }
            keys.append((format, key))
        }
    }

    /// The key of the following segments; nil if they are not encrypted. Of several formats, the one that needs no licence counts.
    private var key: HLSKey? { (keys.first { $0.format == HLSReader.identity } ?? keys.first)?.key }

    private mutating func readMap(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        guard let location = attributes.text("URI"), !location.isEmpty else { throw malformed }
        var range: Range<Int64>?
        if let text = attributes.text("BYTERANGE") {
            let stated = try byteRange(text), start = stated.start ?? 0
            range = start..<(start + stated.length)
        }
        // Without a vector of its own, nothing says with which vector a map is encrypted (RFC 8216, section 4.3.2.5).
        if let key, key.method == .aes128, key.vector == nil { throw malformed }
        let map = HLSMap(location: String(decoding: location, as: UTF8.self), range: range, key: key)
        if self.map != map { self.map = map }
    }

    private func byteRange(_ text: ArraySlice<UInt8>) throws(HLSError) -> (length: Int64, start: Int64?) {
        let parts = text.split(separator: UInt8(ascii: "@"), maxSplits: 1, omittingEmptySubsequences: false)
        let length = try number(parts[0])
        guard length > 0 else { throw malformed }
        return (length, parts.count > 1 ? try number(parts[1]) : nil)
    }

    /// The range of the present segment. A range without a start follows that of the preceding segment, which must be of the same resource.
    private func resolvedRange(_ location: String) throws(HLSError) -> Range<Int64>? {
        guard let range else { return nil }
        if let start = range.start { return start..<(start + range.length) }
        guard let lastRange, lastRange.location.utf8.elementsEqual(location.utf8), lastRange.end <= HLSReader.furthest else { throw malformed }
        return lastRange.end..<(lastRange.end + range.length)
    }

    private func vector(_ text: ArraySlice<UInt8>) throws(HLSError) -> [UInt8] {
        let digits = text.dropFirst(2).compactMap(\.hexadecimalValue)
        guard text.first == UInt8(ascii: "0"), text.dropFirst().first.map({ $0.asciiLowercased == UInt8(ascii: "x") }) == true,
            digits.count == text.count - 2, (1...32).contains(digits.count)
        else { throw malformed }
        let padded = [UInt8](repeating: 0, count: 32 - digits.count) + digits
        return (0..<16).map { padded[2 * $0] << 4 | padded[2 * $0 + 1] }
    }

    /// Returns the seconds since 1970 of a date; nil if it is malformed, because the date is no condition for playing. An offset may be written
    /// without a colon.
    private static func date(_ text: ArraySlice<UInt8>) -> Double? {
        let date = String(decoding: text, as: UTF8.self)
        if let seconds = RFC3339.seconds(date) { return seconds }
        let minutes = String(decoding: text.suffix(2), as: UTF8.self)
        return RFC3339.seconds(String(decoding: text.dropLast(2), as: UTF8.self) + ":" + minutes)
    }

    // MARK: Tags of the whole playlist

    private mutating func readStart(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        guard let text = attributes.text("TIME-OFFSET") else { return }
        let isNegative = text.first == UInt8(ascii: "-")
        let offset = try seconds(isNegative ? text.dropFirst() : text)
        media.start = isNegative ? -offset : offset
        media.isStartPrecise = attributes.isYes("PRECISE")
    }

    private mutating func readDefinition(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        if let name = attributes.text("NAME") {
            guard let value = attributes.text("VALUE"), variables.define(name, Array(value)) else { throw malformed }
        } else if let name = attributes.text("IMPORT") {
            guard let value = imported.value(name), variables.define(name, value) else { throw .undefinedVariable(line: line) }
        } else if let name = attributes.text("QUERYPARAM") {
            guard let value = HLSVariables.parameter(name, in: query), variables.define(name, value) else { throw .undefinedVariable(line: line) }
        } else {
            throw malformed
        }
    }

    private mutating func readVariant(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        var variant = HLSMaster.Variant(
            location: "", bandwidth: Int(try attributes.text("BANDWIDTH").map { text throws(HLSError) in try number(text) } ?? 0))
        variant.codecs = attributes.text("CODECS").map { text in
            text.split(separator: UInt8(ascii: ",")).prefix(16).map { String(decoding: HLSReader.trimmed($0), as: UTF8.self) }
        }
        variant.hasVideo = attributes.text("RESOLUTION") != nil || attributes.text("FRAME-RATE") != nil || attributes.text("VIDEO") != nil
        variant.audioGroup = attributes.text("AUDIO").map { OuterText(String(decoding: $0, as: UTF8.self)) }
        self.variant = variant
    }

    private mutating func readRendition(_ value: ArraySlice<UInt8>) throws(HLSError) {
        let attributes = try attributes(value)
        guard let type = attributes.text("TYPE"), type.elementsEqual("AUDIO".utf8) else { return }
        guard let group = attributes.text("GROUP-ID") else { throw malformed }
        guard master.renditions.count < HLSPlaylist.maximumEntries else { throw .tooManyEntries }
        master.renditions.append(
            HLSMaster.Rendition(
                group: OuterText(String(decoding: group, as: UTF8.self)),
                location: attributes.text("URI").flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) },
                isDefault: attributes.isYes("DEFAULT"), isChosenBySystem: attributes.isYes("AUTOSELECT")))
    }

    // MARK: Values

    private var malformed: HLSError { .malformed(line: line) }

    private mutating func attributes(_ text: ArraySlice<UInt8>) throws(HLSError) -> HLSAttributes {
        guard let attributes = HLSAttributes(text) else { throw malformed }
        return try attributes.expanded { value throws(HLSError) in try expandedBytes(value) }
    }

    private mutating func expanded(_ text: ArraySlice<UInt8>) throws(HLSError) -> String { String(decoding: try expandedBytes(text), as: UTF8.self) }

    /// Replaces the variables in a text.
    private mutating func expandedBytes(_ text: ArraySlice<UInt8>) throws(HLSError) -> ArraySlice<UInt8> {
        guard text.contains(UInt8(ascii: "{")) else { return text }
        guard let expanded = variables.expanded(text) else { throw .undefinedVariable(line: line) }
        guard expanded.count <= HLSPlaylist.maximumLine else { throw .lineTooLong(line: line) }
        expandedSize += expanded.count
        guard expandedSize <= HLSPlaylist.maximumSize else { throw .tooLarge }
        return expanded[...]
    }

    /// Reads a decimal number of seconds.
    private func seconds(_ text: ArraySlice<UInt8>) throws(HLSError) -> Double {
        let number = HLSReader.trimmed(text)
        guard let first = number.first, first.isASCIIDigit || first == UInt8(ascii: "."), number.count <= 64,
            number.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") }),
            let seconds = Double(String(decoding: number, as: UTF8.self)), seconds <= HLSReader.longest
        else { throw malformed }
        return seconds
    }

    private func number(_ text: ArraySlice<UInt8>) throws(HLSError) -> Int64 {
        let digits = HLSReader.trimmed(text)
        guard (1...19).contains(digits.count), digits.allSatisfy(\.isASCIIDigit), let number = Int64(String(decoding: digits, as: UTF8.self)),
            number <= HLSReader.furthest
        else { throw malformed }
        return number
    }

    /// The text without white space at both ends.
    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.drop { $0.isBlank || $0 == 0x0D }
        while let last = rest.last, last.isBlank || last == 0x0D { rest = rest.dropLast() }
        return rest
    }
}
