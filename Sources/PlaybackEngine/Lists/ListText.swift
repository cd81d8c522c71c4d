import Platform

/// The text of playlist files, as bytes.
package enum ListText {
    /// A line, without the white space around it.
    struct Row {
        /// The number of the line, from 1 on.
        var number: Int
        var text: ArraySlice<UInt8>
    }

    /// The lines that are not blank, ended by LF, CR or CR LF.
    struct Rows: Sequence, IteratorProtocol {
        private let text: ArraySlice<UInt8>
        private var start: Int
        private var number = 1

        init(_ text: ArraySlice<UInt8>) {
            self.text = text
            start = text.startIndex
        }

        mutating func next() -> Row? {
            while start < text.endIndex {
                let end = text[start...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.endIndex
                let row = Row(number: number, text: ListText.trimmed(text[start..<end]))
                number += 1
                start = text[end...].starts(with: [0x0D, 0x0A]) ? end + 2 : end + 1
                if !row.text.isEmpty { return row }
            }
            return nil
        }
    }

    /// The text in UTF-8, without its byte order mark. Text that is neither UTF-16 with a byte order mark nor UTF-8 is read as windows-1252.
    static func utf8(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(ofUnmarked: bytes[3...]) }
        for (mark, high) in [([0xFF, 0xFE], 1), ([0xFE, 0xFF], 0)] where bytes.starts(with: mark.map(UInt8.init)) {
            let units = stride(from: 2, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high]) }
            return Array(String(decoding: units, as: UTF16.self).utf8)[...]
        }
        return utf8(ofUnmarked: bytes[...])
    }

    static func isWindows1252(_ bytes: [UInt8]) -> Bool {
        let isMarked = [[0xEF, 0xBB, 0xBF], [0xFF, 0xFE], [0xFE, 0xFF]].contains { bytes.starts(with: $0) }
        return !isMarked && String(validating: bytes, as: UTF8.self) == nil
    }

    private static func utf8(ofUnmarked bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        if String(validating: bytes, as: UTF8.self) != nil { return bytes }
        return Array(Windows1252.text(bytes).utf8)[...]
    }

    package static func string(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    package static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard let last = bytes.lastIndex(where: { !isSpace($0) }) else { return [] }
        return bytes[...last].drop(while: isSpace)
    }

    /// Whether `bytes` begin with `start`, regardless of ASCII case; `start` has to be in lower case.
    static func begins(_ bytes: ArraySlice<UInt8>, _ start: StaticString) -> Bool {
        start.withUTF8Buffer { start in bytes.count >= start.count && zip(bytes, start).allSatisfy { $0.asciiLowercased == $1 } }
    }

    /// Parses a decimal number of seconds; nil if negative or above 10⁹.
    package static func seconds(_ bytes: ArraySlice<UInt8>) -> Double? {
        let number = bytes.drop(while: isSpace).prefix(32).prefix { $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard let seconds = Double(string(number)), (0...1e9).contains(seconds) else { return nil }
        return seconds
    }
}

extension ListText {
    /// The characters with a name: the five of XML, and of HTML those of ISO 8859-1 and the usual punctuation.
    private static let characters: [String: UInt32] = {
        var characters: [String: UInt32] = [
            "amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27, "lsquo": 0x2018, "rsquo": 0x2019, "sbquo": 0x201A, "ldquo": 0x201C,
            "rdquo": 0x201D, "bdquo": 0x201E, "ndash": 0x2013, "mdash": 0x2014, "bull": 0x2022, "hellip": 0x2026, "euro": 0x20AC, "trade": 0x2122,
        ]
        // The names of the characters from 0xA0 on, in order.
        let names = """
            nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil \
            sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute \
            Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc \
            atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide \
            oslash ugrave uacute ucirc uuml yacute thorn yuml
            """
        for (number, name) in names.split(separator: " ").enumerated() { characters[String(name)] = 0xA0 + UInt32(number) }
        return characters
    }()
    /// The greatest length of a reference between `&` and `;`, in bytes.
    private static let maximumReferenceLength = 8

    /// Decodes references to characters by their names or numbers to UTF-8. Other ampersands stay. The numbers 128 to 159 mean the characters of
    /// windows-1252, as in HTML.
    package static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "&"), let end = bytes[index...].prefix(maximumReferenceLength + 1).firstIndex(of: UInt8(ascii: ";")),
                let meaning = meaning(bytes[index..<end])
            else {
                result.append(byte)
                continue
            }
            result += meaning
            index = end + 1
        }
        return result
    }

    /// Returns the number to which a reference of HTML refers, given what stands between `&` and `;`: the name of a character, or `#` and the number.
    /// Nil if the name is unknown. The number may be that of no character.
    package static func number(ofReference name: ArraySlice<UInt8>) -> UInt32? {
        guard name.first == UInt8(ascii: "#") else { return characters[string(name)] }
        let isHexadecimal = name.dropFirst().first?.asciiLowercased == UInt8(ascii: "x"), digits = name.dropFirst(isHexadecimal ? 2 : 1)
        // The initializer would take a sign.
        guard digits.first?.hexadecimalValue != nil else { return nil }
        return UInt32(string(digits), radix: isHexadecimal ? 16 : 10)
    }

    private static func meaning(_ name: ArraySlice<UInt8>) -> [UInt8]? {
        number(ofReference: name).flatMap { Unicode.Scalar($0) }.map { Array(Windows1252.corrected(String(Character($0))).utf8) }
    }
}
