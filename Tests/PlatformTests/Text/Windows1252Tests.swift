import Testing

@testable import Platform

/// The authority is the Encoding Standard's index of windows-1252, of which the system's `iconv` has all characters.
@Suite struct Windows1252Tests {
    @Test("each byte is the character of the Encoding Standard's index, and the character is that byte")
    func bytes() {
        let text = Windows1252.text(0...255)
        #expect(text.unicodeScalars.count == 256 && text.unicodeScalars.compactMap(Windows1252.byte) == Array(0...255))
        #expect(Windows1252.text([0x44, 0x6F, 0x6E, 0x92, 0x74, 0x20, 0x80, 0x20, 0x96, 0x20, 0xE9]) == "Don\u{2019}t \u{20AC} \u{2013} \u{E9}")
        #expect(Windows1252.text([0x81, 0x9D]) == "\u{81}\u{9D}")
        for scalar in ["\u{85}", "\u{100}", "\u{1F600}"] as [Unicode.Scalar] { #expect(Windows1252.byte(of: scalar) == nil) }
    }

    @Test("in a text that was read as ISO 8859-1, only control characters become others")
    func correction() {
        #expect(Windows1252.corrected("Don\u{92}t \u{96} caf\u{E9} \u{2603}") == "Don\u{2019}t \u{2013} caf\u{E9} \u{2603}")
        #expect(Windows1252.corrected("\u{C2}\u{A0}") == "\u{C2}\u{A0}")
    }
}
