import Platform

/// The lines of a text, which end with CR, LF or CR LF.
struct LyricsLines: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>

    init(_ text: [UInt8]) { rest = text[...] }

    mutating func next() -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
        rest = rest[line.endIndex...]
        let end = rest.starts(with: [0x0D, 0x0A]) ? 2 : 1
        rest = rest.dropFirst(end)
        return line
    }
}

/// A line of an LRC text: its times and its text, or a tag.
struct LRCLine {
    enum Tag: Equatable {
        /// The time by which all lines are shown earlier, in seconds.
        case offset(Double)
        case language(String)
        case other
    }

    /// The greatest length of a time between its brackets, in bytes.
    private static let maximumTimeSize = 24
    private static let ignored = ["ar", "ti", "al", "au", "lr", "by", "re", "ve", "tool", "length", "id"]

    /// The whole line, without outer white space.
    let whole: ArraySlice<UInt8>
    /// The times of the line, in seconds.
    private(set) var times: [Double] = []
    /// The text after the times, without outer white space.
    private(set) var text: ArraySlice<UInt8>
    private(set) var tag: Tag?

    init(_ bytes: ArraySlice<UInt8>) {
        whole = bytes.withoutOuterBlanks
        text = whole
        while let (content, rest) = Self.bracket(text, "[", "]"), let time = Self.time(content) {
            times.append(time)
            text = rest.withoutOuterBlanks
        }
        if times.isEmpty { tag = Self.tag(whole) }
    }

    /// Removes the times of words, which have the form `<01:02.50>`.
    static func withoutWordTimes(_ text: ArraySlice<UInt8>) -> [UInt8] {
        guard text.contains(UInt8(ascii: "<")) else { return Array(text) }
        var kept: [UInt8] = [], rest = text
        while let first = rest.first {
            if let (content, after) = bracket(rest, "<", ">"), time(content) != nil {
                rest = after
                // If there are spaces on both sides of a removed time, one is removed too.
                if kept.last ?? 0x20 == 0x20, rest.first == 0x20 { rest = rest.dropFirst() }
            } else {
                kept.append(first)
                rest = rest.dropFirst()
            }
        }
        return Array(kept.withoutOuterBlanks)
    }

    /// The content of the brackets, and the text after them; nil unless they end within `maximumTimeSize` bytes.
    private static func bracket(
        _ text: ArraySlice<UInt8>, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar
    ) -> (content: ArraySlice<UInt8>, rest: ArraySlice<UInt8>)? {
        guard text.first == UInt8(ascii: opening), let end = text.prefix(maximumTimeSize).firstIndex(of: UInt8(ascii: closing)) else { return nil }
        return (text[text.index(after: text.startIndex)..<end], text[text.index(after: end)...])
    }

    /// Parses `mm:ss`, `mm:ss.fff`, `mm:ss:ff` or `hh:mm:ss.fff`, in seconds.
    static func time(_ text: ArraySlice<UInt8>) -> Double? {
        let halves = text.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        var parts = halves[0].split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var fraction: ArraySlice<UInt8> = [UInt8(ascii: "0")]
        if halves.count == 2 { fraction = halves[1] } else if parts.count == 3 { fraction = parts.removeLast() }
        guard parts.count == 2 || parts.count == 3, let digits = number(fraction) else { return nil }
        var total = 0.0
        for (position, part) in parts.enumerated() {
            guard let value = number(part), position == 0 || value < 60 else { return nil }
            total = total * 60 + value
        }
        return total + digits / power(of: fraction.count)
    }

    private static func power(of digits: Int) -> Double { (0..<digits).reduce(1) { power, _ in power * 10 } }

    /// Parses one to six digits.
    private static func number(_ text: ArraySlice<UInt8>) -> Double? {
        guard (1...6).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        return text.reduce(0) { $0 * 10 + Double($1 - 0x30) }
    }

    private static func tag(_ line: ArraySlice<UInt8>) -> Tag? {
        guard line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]"), let colon = line.prefix(8).firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let name = line[(line.startIndex + 1)..<colon].map(\.asciiLowercased)
        let value = line[(colon + 1)..<(line.endIndex - 1)].withoutOuterBlanks
        if name.elementsEqual("offset".utf8) {
            let digits = value.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } ?? false ? value.dropFirst() : value
            guard let milliseconds = number(digits) else { return .other }
            return .offset((value.first == UInt8(ascii: "-") ? -milliseconds : milliseconds) / 1000)
        }
        if name.elementsEqual("la".utf8) { return language(value).map { .language($0) } ?? .other }
        return ignored.contains { name.elementsEqual($0.utf8) } ? .other : nil
    }

    /// Parses a language of 2 to 16 letters, digits and hyphens. Nil for other text and for an unknown language (ID3: "xxx", ISO 639: "und").
    static func language(_ text: ArraySlice<UInt8>) -> String? {
        let isName = text.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        let name = text.map(\.asciiLowercased)
        guard (2...16).contains(name.count), isName, !name.elementsEqual("xxx".utf8), !name.elementsEqual("und".utf8) else { return nil }
        return String(decoding: name, as: UTF8.self)
    }
}
