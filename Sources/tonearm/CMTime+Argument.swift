import CoreMedia
import Platform

extension CMTime {
    /// Parses a time without rounding: seconds (`90.5`), a time with minutes and hours (`1:30.5`, `0:01:30.5`, two digits below 60 after a colon), or
    /// a fraction of a second (`220500/44100`). A sign, or more than nine decimals, is not permitted.
    init?(argument text: String) {
        let fraction = text.split(separator: "/", omittingEmptySubsequences: false)
        if fraction.count == 2 {
            guard let value = Self.digits(fraction[0]), let scale = Self.digits(fraction[1]), scale > 0, scale <= Int64(Int32.max) else { return nil }
            self.init(value: value, timescale: CMTimeScale(scale))
            return
        }
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fraction.count == 1, fields.count <= 3, let last = fields.last else { return nil }
        var whole: Int64 = 0
        for (index, field) in fields.dropLast().enumerated() {
            guard let number = Self.digits(field), index == 0 || (number < 60 && field.count == 2) else { return nil }
            guard let sum = Self.adding(number, toSixty: whole) else { return nil }
            whole = sum
        }
        let parts = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let seconds = Self.digits(parts[0]), fields.count == 1 || (seconds < 60 && parts[0].count == 2) else { return nil }
        guard let sum = Self.adding(seconds, toSixty: whole) else { return nil }
        var (value, scale) = (sum, Int64(1))
        if parts.count == 2 {
            guard let decimals = Self.digits(parts[1]), parts[1].count <= 9 else { return nil }
            for _ in 0..<parts[1].count { scale *= 10 }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: scale)
            guard !overflow, scaled <= .max - decimals else { return nil }
            value = scaled + decimals
        }
        self.init(value: value, timescale: CMTimeScale(scale))
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return Int64(text)
    }

    /// Returns `60 * whole + part`; nil on overflow.
    private static func adding(_ part: Int64, toSixty whole: Int64) -> Int64? {
        let (product, overflow) = whole.multipliedReportingOverflow(by: 60)
        guard !overflow, product <= .max - part else { return nil }
        return product + part
    }
}
