/// Dates of RFC 3339 and seconds since 1970, in the proleptic Gregorian calendar without leap seconds.
package enum RFC3339 {
    /// The date, in UTC with milliseconds, at `seconds` since 1970. The date is limited to the years 0…9999; a number that is not finite becomes the
    /// start of 1970.
    package static func text(_ seconds: Double) -> String {
        let bounded = seconds.isFinite ? min(max(seconds, -62_167_219_200), 253_402_300_799) : 0
        let milliseconds = Int64((bounded * 1000).rounded(.down))
        let day = floorDivide(milliseconds, 86_400_000)
        let rest = Int(milliseconds - day * 86_400_000)
        let (year, month, dayOfMonth) = civil(day)
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T" + padded(rest / 3_600_000, 2) + ":"
            + padded(rest / 60_000 % 60, 2) + ":" + padded(rest / 1000 % 60, 2) + "." + padded(rest % 1000, 3) + "Z"
    }

    /// The seconds since 1970 of a date of RFC 3339, section 5.6; nil if it is malformed. A leap second counts as the following second.
    package static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 64, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10].asciiLowercased == UInt8(ascii: "t"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = digits(bytes[0..<4]), let month = digits(bytes[5..<7]), let day = digits(bytes[8..<10]),
            let hour = digits(bytes[11..<13]), let minute = digits(bytes[14..<16]), let second = digits(bytes[17..<19]),
            (1...12).contains(month), (1...daysInMonth(year, month)).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var index = 19
        var fraction = 0.0
        if bytes[index] == UInt8(ascii: ".") {
            var scale = 0.1
            index += 1
            let start = index
            while index < bytes.count, let digit = digits(bytes[index...index]) {
                fraction += Double(digit) * scale
                scale /= 10
                index += 1
            }
            guard index > start else { return nil }
        }
        guard index < bytes.count, let offset = offset(bytes[index...]) else { return nil }
        let whole = days(year, month, day) * 86_400 + Int64(hour * 3600 + minute * 60 + second) - Int64(offset)
        return Double(whole) + fraction
    }

    /// The offset from UTC in seconds, positive in the east, of `Z` or a text such as `+02:00`; nil if it is malformed.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        let zone = Array(bytes)
        if zone.count == 1 { return zone[0].asciiLowercased == UInt8(ascii: "z") ? 0 : nil }
        guard zone.count == 6, zone[0] == UInt8(ascii: "+") || zone[0] == UInt8(ascii: "-"), zone[3] == UInt8(ascii: ":"),
            let hours = digits(zone[1..<3]), let minutes = digits(zone[4..<6]), hours < 24, minutes < 60
        else { return nil }
        return (zone[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for byte in bytes {
            guard byte.isASCIIDigit else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return value
    }

    static func daysInMonth(_ year: Int, _ month: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    // The days since the start of 1970. The computation begins years on 1 March, so that the leap day is last, in eras of 400 years (146,097 days).
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let shifted = Int64(month <= 2 ? year - 1 : year)
        let era = floorDivide(shifted, 400)
        let yearOfEra = shifted - era * 400
        let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ days: Int64) -> (year: Int, month: Int, day: Int) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 { a >= 0 ? a / b : -((-a + b - 1) / b) }

    private static func padded(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }
}
