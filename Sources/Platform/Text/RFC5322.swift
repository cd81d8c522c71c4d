/// The dates of mail and of RSS: RFC 5322, with the obsolete forms of RFC 822 (years of two digits, names of time zones).
package enum RFC5322 {
    /// The maximum length of a date, in bytes.
    private static let maximumLength = 128

    /// The seconds since 1970 of a date of RFC 5322, sections 3.3 and 4.3. The day of the week is not examined, months may be written in full, a
    /// missing or unknown zone is UTC, and a leap second counts as the following second. Nil if the date is malformed.
    package static func seconds(_ text: some Collection<UInt8>) -> Double? {
        guard text.count <= maximumLength else { return nil }
        var parts = words(Array(text))[...]
        if let first = parts.first, !(first.first?.isASCIIDigit ?? true) { parts.removeFirst() }
        guard parts.count >= 4 else { return nil }
        let (dayText, monthText, yearText, timeText) = (
            parts.removeFirst(), parts.removeFirst(), parts.removeFirst(), parts.removeFirst()
        )
        guard let day = number(dayText, digits: 1...2), let month = month(monthText), let year = year(yearText), let time = time(timeText),
            (1...RFC3339.daysInMonth(year, month)).contains(day), let offset = parts.first.map(offset) ?? 0
        else { return nil }
        return Double(RFC3339.days(year, month, day) * 86_400 + Int64(time) - Int64(offset))
    }

    /// The words between white space and commas; comments in parentheses are removed.
    private static func words(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var depth = 0
        let plain = text.map { byte -> UInt8 in
            if byte == UInt8(ascii: "(") { depth += 1 }
            let isComment = depth > 0
            if byte == UInt8(ascii: ")") { depth = max(0, depth - 1) }
            return isComment || byte == UInt8(ascii: ",") || (0x09...0x0D).contains(byte) ? 0x20 : byte
        }
        return plain.split(separator: 0x20)
    }

    private static func number(_ text: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private static func month(_ text: ArraySlice<UInt8>) -> Int? {
        guard text.allSatisfy(\.isASCIILetter) else { return nil }
        let start = text.prefix(3).map(\.asciiLowercased)
        return months.firstIndex { $0.utf8.elementsEqual(start) }.map { $0 + 1 }
    }

    /// The year; two and three digits are read by RFC 5322, section 4.3.
    private static func year(_ text: ArraySlice<UInt8>) -> Int? {
        guard let year = number(text, digits: 2...4) else { return nil }
        switch text.count {
        case 2: return year < 50 ? 2000 + year : 1900 + year
        case 3: return 1900 + year
        default: return year
        }
    }

    /// The seconds since midnight of `hours:minutes` or `hours:minutes:seconds`.
    private static func time(_ text: ArraySlice<UInt8>) -> Int? {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 2...2),
            let second = parts.count == 3 ? number(parts[2], digits: 2...2) : 0, hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static let zones = [("est", -5), ("edt", -4), ("cst", -6), ("cdt", -5), ("mst", -7), ("mdt", -6), ("pst", -8), ("pdt", -7)]

    /// The offset of a time zone from UTC in seconds, positive in the east; nil for malformed digits. Unknown names count as UTC, and so do the
    /// letters of military time zones, because RFC 822 defined their offsets with the wrong sign.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
            let name = text.map(\.asciiLowercased)
            return (zones.first { $0.0.utf8.elementsEqual(name) }?.1 ?? 0) * 3600
        }
        let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard let number = number(digits[...], digits: 4...4), number / 100 < 24, number % 100 < 60 else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (number / 100 * 3600 + number % 100 * 60)
    }
}
