import Platform

/// The lyrics that the text of a tag or of a `.lrc` file contains.
struct Lyrics: Sendable, Equatable {
    struct Line: Sendable, Equatable {
        /// The media time, in seconds; nil if the lyrics have no times.
        var time: Double?
        var text: OuterText
    }

    /// The greatest size of the text that is read, and of all lines with times together, in bytes.
    static let maximumSize = 1 << 20
    static let maximumLines = 10_000

    /// Whether each line has a time, and they are in the order of their times.
    private(set) var isSynchronized = false
    private(set) var language: String?
    private(set) var lines: [Line] = []
    /// Whether there were too many lines or bytes.
    private(set) var isTruncated = false

    var hasText: Bool { lines.contains { !$0.text.isEmpty } }

    /// Reads plain lines, or lines of LRC, which begin with times (`[01:02.50][02:10]text`). If at least one line has a time, lines without are
    /// omitted, and the times of words (`<01:02.50>`) are removed. The running time is linear in the size of the text.
    /// - Parameter bytes: The text in UTF-8 or, with a byte order mark, UTF-16; otherwise windows-1252. Bytes after `maximumSize` are ignored.
    init(_ bytes: [UInt8]) {
        isTruncated = bytes.count > Self.maximumSize
        let text = Self.utf8(bytes.prefix(Self.maximumSize))
        var plain: [LRCLine] = [], timed: [(time: Double, text: ArraySlice<UInt8>)] = []
        var offset = 0.0, size = 0, hasMorePlain = false
        for bytes in LyricsLines(text) {
            let line = LRCLine(bytes)
            switch line.tag {
            case .offset(let seconds): offset = seconds
            case .language(let name): language = name
            case .other: break
            case nil:
                if timed.isEmpty {
                    if plain.count < Self.maximumLines { plain.append(line) } else if !line.whole.isEmpty { hasMorePlain = true }
                }
                for time in line.times {
                    size += line.text.count
                    guard timed.count < Self.maximumLines, size <= Self.maximumSize else {
                        isTruncated = true
                        break
                    }
                    timed.append((time, line.text))
                }
            }
        }
        isSynchronized = !timed.isEmpty
        guard isSynchronized else {
            isTruncated = isTruncated || hasMorePlain
            lines = Self.trimmed(plain).map { Line(time: nil, text: OuterText(String(decoding: $0.whole, as: UTF8.self))) }
            return
        }
        // Lines with the same time keep their order, because sorting is stable.
        lines = timed.sorted { $0.time < $1.time }.map { time, text in
            Line(time: max(0, time - offset), text: OuterText(String(decoding: LRCLine.withoutWordTimes(text), as: UTF8.self)))
        }
    }

    /// Sets the language, unless the text states one.
    mutating func setLanguage(_ name: String?) { if language == nil { language = name } }

    /// The lines without the empty ones at the start and the end.
    private static func trimmed(_ lines: [LRCLine]) -> ArraySlice<LRCLine> {
        guard let first = lines.firstIndex(where: { !$0.whole.isEmpty }), let last = lines.lastIndex(where: { !$0.whole.isEmpty }) else { return [] }
        return lines[first...last]
    }

    private static func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) { return utf8(ofUTF16: Array(bytes)) }
        // A text that was cut at `maximumSize` may end inside a character.
        var whole = bytes
        for _ in 0..<3 where whole.last.map({ $0 >= 0x80 }) ?? false && bytes.count == maximumSize && String(validating: whole, as: UTF8.self) == nil
        {
            whole.removeLast()
        }
        if String(validating: whole, as: UTF8.self) != nil { return Array(whole) }
        return Array(Windows1252.text(bytes).utf8)
    }

    private static func utf8(ofUTF16 bytes: [UInt8]) -> [UInt8] {
        let high = bytes[0] == 0xFE ? 0 : 1
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0 + high]) << 8 + UInt16(bytes[$0 + 1 - high]) }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }
}
