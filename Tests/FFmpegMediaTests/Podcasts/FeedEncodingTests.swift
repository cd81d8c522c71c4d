import Testing

@testable import FFmpegMedia

/// The encodings of feeds.
@Suite struct FeedEncodingTests {
    /// Returns the title of a feed with one entry, whose title has these bytes.
    private func title(_ declaration: String, _ bytes: [UInt8]) throws -> String? {
        let start = Array("\(declaration)<rss><channel><item><title>".utf8), end = Array("</title><enclosure url='a'/></item></channel></rss>".utf8)
        return try Feed(start + bytes + end).entries.first?.title
    }

    private func wide(_ text: String, isBigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + text).utf16.flatMap { unit in
            isBigEndian ? [UInt8(unit >> 8), UInt8(unit & 0xFF)] : [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        }
    }

    @Test("UTF-8 is read with and without a declaration, a mark, and white space before the document")
    func utf8() throws {
        for start in ["", "<?xml version='1.0'?>", "\u{FEFF}<?xml version='1.0' encoding='utf-8'?>", "\r\n <?xml version='1.0'?>", "\u{FEFF}\n"] {
            #expect(try title(start, Array("\u{E9}\u{1F3B5}".utf8)) == "\u{E9}\u{1F3B5}")
        }
    }

    @Test("UTF-16 with a mark is read in both byte orders", arguments: [true, false])
    func utf16(_ isBigEndian: Bool) throws {
        let text =
            "<?xml version='1.0' encoding='UTF-16'?><rss><channel><item><title>\u{E9}\u{1F3B5}</title><enclosure url='a'/></item></channel></rss>"
        #expect(try Feed(wide(text, isBigEndian: isBigEndian)).entries.map(\.title) == ["\u{E9}\u{1F3B5}"])
    }

    @Test("windows-1252 is read, and ISO 8859-1 by any name is windows-1252 (Encoding Standard, 4.2)")
    func singleByte() throws {
        for name in ["windows-1252", "Windows-1252", "CP1252", "latin1", "ISO-8859-1"] {
            #expect(
                try title("<?xml version='1.0' encoding='\(name)'?>", [0x80, 0x93, 0x99, 0x9F, 0xE9, 0xFF])
                    == "\u{20AC}\u{201C}\u{2122}\u{178}\u{E9}\u{FF}")
        }
    }

    @Test("a declaration of UTF-16 in a document of UTF-8, and the name utf8, are read as UTF-8", arguments: ["utf-16", "utf8", "UTF8"])
    func wrongDeclaration(_ name: String) throws {
        #expect(try title("<?xml version='1.0' encoding='\(name)'?>", Array("\u{E9}".utf8)) == "\u{E9}")
    }

    @Test("another encoding is an error with its name")
    func unknown() {
        let error = #expect(throws: FeedError.self) { try title("<?xml version='1.0' encoding='Shift_JIS'?>", [0x83, 0x41]) }
        #expect(error?.message == "The encoding of the feed, “shift_jis”, is not supported.")
    }

    @Test("bytes that are not of the encoding are an error with their line")
    func invalid() {
        let error = #expect(throws: FeedError.self) { try title("<?xml version='1.0'?>\n\n", [0x63, 0xE9, 0x63]) }
        #expect(error?.message == "The feed is not well-formed XML: line 3, not well-formed (invalid token).")
    }
}
