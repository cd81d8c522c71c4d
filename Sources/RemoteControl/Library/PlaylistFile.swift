import Platform

/// A playlist file: M3U or PLS, as a list of locations with titles. A pure function of the file's bytes.
struct PlaylistFile: Sendable {
    struct Line: Sendable {
        /// A URL, an absolute path, or a path relative to the folder of the file.
        var location: String
        /// The title that the file gives; nil if it gives none.
        var title: String?
        /// The number of the line in the file that gives the location, from 1 on.
        var number = 1
    }

    /// A line of the text that is not blank, without the space around it.
    private struct Row {
        var number: Int
        var text: ArraySlice<UInt8>
    }

    private(set) var lines: [Line] = []

    /// The format of a playlist file.
    enum Format: Sendable {
        case m3u, pls

        /// The format of a file by the extension of its name; nil if the name is not that of a playlist file.
        init?(name: String) {
            guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return nil }
            let ending = name.utf8[dot...].dropFirst().map(\.asciiLowercased)
            if ending.elementsEqual("m3u".utf8) || ending.elementsEqual("m3u8".utf8) {
                self = .m3u
            } else if ending.elementsEqual("pls".utf8) {
                self = .pls
            } else {
                return nil
            }
        }
    }

    /// Whether the file describes the segments of one stream (HTTP Live Streaming), which is a medium and not a list of media.
    private(set) var isStream = false

    /// Reads a playlist file. Text that is not UTF-8 is read as ISO 8859-1. Lines without a location are skipped.
    init(_ bytes: [UInt8], format: Format) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
        let isUTF8 = String(validating: text, as: UTF8.self) != nil
        let rows = Self.rows(text)
        func string(_ bytes: ArraySlice<UInt8>) -> String {
            isUTF8 ? String(decoding: bytes, as: UTF8.self) : String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        switch format {
        case .m3u: readM3U(rows, string)
        case .pls: readPLS(rows, string)
        }
    }

    /// Reads the lines of an M3U file: locations, each after an optional line `#EXTINF:seconds,title`. Other lines with `#` are comments.
    private mutating func readM3U(_ rows: [Row], _ string: (ArraySlice<UInt8>) -> String) {
        var title: String?
        for (number, row) in rows.lazy.map({ ($0.number, $0.text) }) {
            guard row.first == UInt8(ascii: "#") else {
                lines.append(Line(location: string(row), title: title, number: number))
                title = nil
                continue
            }
            if row.starts(with: "#EXT-X-".utf8) { isStream = true }
            guard row.starts(with: "#EXTINF:".utf8), let comma = row.firstIndex(of: UInt8(ascii: ",")) else { continue }
            let text = Self.trimmed(row[(comma + 1)...])
            title = text.isEmpty ? nil : string(text)
        }
    }

    /// Reads the lines of a PLS file: `File1=location` and `Title1=title`, in any order. The numbers give the order.
    private mutating func readPLS(_ rows: [Row], _ string: (ArraySlice<UInt8>) -> String) {
        var locations: [Int: Line] = [:]
        var titles: [Int: String] = [:]
        for (line, row) in rows.lazy.map({ ($0.number, $0.text) }) {
            guard let equals = row.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let key = row[..<equals]
            let value = Self.trimmed(row[(equals + 1)...])
            guard let digit = key.firstIndex(where: \.isASCIIDigit), key.endIndex - digit <= 9,
                let number = Int(String(decoding: key[digit...], as: UTF8.self)), !value.isEmpty
            else { continue }
            let name = key[..<digit].map(\.asciiLowercased)
            if name.elementsEqual("file".utf8) { locations[number] = Line(location: string(value), number: line) }
            if name.elementsEqual("title".utf8) { titles[number] = string(value) }
        }
        lines = locations.sorted { $0.key < $1.key }.map { number, line in
            var line = line
            line.title = titles[number]
            return line
        }
    }

    /// Splits a text into its lines, which end with LF, CR or CR LF.
    private static func rows(_ text: ArraySlice<UInt8>) -> [Row] {
        var rows: [Row] = []
        var number = 1
        var start = text.startIndex
        while start < text.endIndex {
            let end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.endIndex
            let row = trimmed(text[start..<end])
            if !row.isEmpty { rows.append(Row(number: number, text: row)) }
            number += 1
            start = text[end...].starts(with: [0x0D, 0x0A]) ? end + 2 : end + 1
        }
        return rows
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return bytes[...last].drop(while: isSpace)
    }
}
