import Platform

/// The dates of feeds: those of RFC 822 as mail programs write and feeds misspell them, and those of RFC 3339.
enum FeedDate {
    /// The largest length of a date, in bytes.
    private static let maximumLength = 64
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"].map { Array($0.utf8) }
    /// The zones of RFC 822, section 5.1, in hours.
    private static let zones: [(name: StaticString, hours: Int)] = [
        ("est", -5), ("edt", -4), ("cst", -6), ("cdt", -5), ("mst", -7), ("mdt", -6), ("pst", -8), ("pdt", -7), ("cet", 1), ("cest", 2), ("bst", 1),
    ]

    /// Returns the seconds since 1970 of a date; nil if it is none, or if it is before 1970 or after 2199.
    static func seconds(_ text: ArraySlice<UInt8>) -> Double? {
        let text = ListText.trimmed(text)
        guard (8...maximumLength).contains(text.count) else { return nil }
        let seconds = text.dropFirst(4).first == UInt8(ascii: "-") ? ofRFC3339(text) : ofRFC822(text)
        return seconds.flatMap { (0..<7_258_118_400).contains($0) ? $0 : nil }
    }

    private static func ofRFC3339(_ text: ArraySlice<UInt8>) -> Double? {
        var text = ListText.string(text)
        if text.utf8.count == 10 { text += "T00:00:00Z" }
        return RFC3339.seconds(text) ?? RFC3339.seconds(text + "Z")
    }

    /// Reads `Wed, 02 Oct 2002 13:00:00 GMT`, with or without the day of the week, seconds and zone.
    private static func ofRFC822(_ text: ArraySlice<UInt8>) -> Double? {
        var parts = text.split { ListText.isSpace($0) || $0 == UInt8(ascii: ",") }[...]
        if parts.first?.first?.isASCIIDigit == false { parts = parts.dropFirst() }
        guard parts.count >= 3 else { return nil }
        let start = parts.startIndex
        let name = parts[start + 1].prefix(3).map(\.asciiLowercased)
        guard let day = number(parts[start], 1...31), let month = months.firstIndex(of: name), var year = number(parts[start + 2], 0...9999) else {
            return nil
        }
        // Years of two digits are those of RFC 2822, section 4.3.
        if year < 1000 { year += year < 50 ? 2000 : 1900 }
        let seconds = parts.dropFirst(3).first.map { time($0) } ?? 0
        guard let seconds, let offset = parts.dropFirst(4).first.map({ zone($0) }) ?? 0 else { return nil }
        return Double(RFC3339.days(year, month + 1, day) * 86_400 + Int64(seconds - offset))
    }

    private static func time(_ text: ArraySlice<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hours = number(parts[0], 0...23), let minutes = number(parts[1], 0...59),
            let seconds = parts.count == 3 ? number(parts[2], 0...60) : 0
        else { return nil }
        return hours * 3600 + minutes * 60 + seconds
    }

    /// Returns the seconds east of UTC. An unknown name counts as UTC, as in RFC 2822.
    private static func zone(_ text: ArraySlice<UInt8>) -> Int? {
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            return (zones.first { ListText.equals(text, $0.name) }?.hours ?? 0) * 3600
        }
        guard let offset = number(ArraySlice(text.dropFirst().filter { $0 != UInt8(ascii: ":") }), 0...2359) else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (offset / 100 * 3600 + offset % 100 * 60)
    }

    private static func number(_ text: ArraySlice<UInt8>, _ range: ClosedRange<Int>) -> Int? {
        guard (1...4).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        let value = text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return range.contains(value) ? value : nil
    }
}
