/// The encoding windows-1252. Text of 8 bits has it whatever it calls itself: the Encoding Standard, section 4.2, reads ISO 8859-1 and US-ASCII so
/// too. Control characters stand for the five bytes without a character.
package enum Windows1252 {
    /// The characters of the bytes 0x80 to 0x9F. Every other byte is the character of its number.
    private static let high: [Unicode.Scalar] = [
        "\u{20AC}", "\u{81}", "\u{201A}", "\u{192}", "\u{201E}", "\u{2026}", "\u{2020}", "\u{2021}", "\u{2C6}", "\u{2030}", "\u{160}", "\u{2039}",
        "\u{152}", "\u{8D}", "\u{17D}", "\u{8F}", "\u{90}", "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
        "\u{2DC}", "\u{2122}", "\u{161}", "\u{203A}", "\u{153}", "\u{9D}", "\u{17E}", "\u{178}",
    ]

    package static func scalar(of byte: UInt8) -> Unicode.Scalar { (0x80...0x9F).contains(byte) ? high[Int(byte) - 0x80] : Unicode.Scalar(byte) }

    /// Returns the byte of a character; nil if it has none.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        if let index = high.firstIndex(of: scalar) { return UInt8(0x80 + index) }
        return (0x80...0x9F).contains(scalar.value) ? nil : UInt8(exactly: scalar.value)
    }

    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(scalar(of: byte)) }
        return String(scalars)
    }

    /// Returns a text that was read as ISO 8859-1 as windows-1252. Only control characters, which no text needs, become others.
    package static func corrected(_ text: String) -> String {
        // In UTF-8, the control characters 0x80 to 0x9F begin with the byte 0xC2.
        guard text.utf8.contains(0xC2), text.unicodeScalars.contains(where: { (0x80...0x9F).contains($0.value) }) else { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(scalar.value < 0x100 ? self.scalar(of: UInt8(scalar.value)) : scalar) }
        return String(scalars)
    }
}
