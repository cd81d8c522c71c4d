import Testing

@testable import PlaybackEngine

/// What a content is, by its first bytes.
@Suite struct ContentKindTests {
    @Test(
        "a text that is no medium is named for what it is",
        arguments: [
            ("<!DOCTYPE html>\n<html><body>404</body></html>", "a web page (HTML)"), ("\n\n  <HTML><head>", "a web page (HTML)"),
            ("<!-- x --><html>", "a web page (HTML)"), ("<?xml version='1.0'?><!DOCTYPE html PUBLIC 'x'><html>", "a web page (HTML)"),
            ("<script>location='/'</script>", "a web page (HTML)"), ("{\"error\": \"not found\"}", "a JSON document"),
            ("[{\"a\":1}]", "a JSON document"),
            ("{}", "a JSON document"), ("<rdf:RDF xmlns:rdf='x'>", "a feed without media (RSS 1.0)"),
            ("<MPD xmlns='x'>", "a description of an MPEG-DASH stream"),
            ("<smil><body/></smil>", "a SMIL presentation"), ("<svg xmlns='x'/>", "a picture (SVG)"),
            ("<?xml version='1.0'?><note/>", "an XML document"), ("Not Found\n", "a text"), ("Dear reader,\nthis is a letter.", "a text"),
            ("%PDF-1.7\n1 0 obj", "a PDF document"), ("v=0\no=- 0 0 IN IP4 127.0.0.1\n", "a text"),
        ])
    func texts(_ text: String, _ name: String) { #expect(ContentKind(Array(text.utf8), isWhole: true) == .foreign(name: name)) }

    @Test(
        "a binary file that is no medium is named for what it is",
        arguments: [
            ([0x50, 0x4B, 3, 4], "a ZIP archive"), ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "a picture (PNG)"),
            ([0xFF, 0xD8, 0xFF, 0xE0], "a picture (JPEG)"), ([0x1F, 0x8B, 8], "a compressed file (gzip)"), ([0x7F, 0x45, 0x4C, 0x46], "a program"),
            (Array("GIF89a".utf8), "a picture (GIF)"), (Array("RIFF".utf8) + [1, 0, 0, 0] + Array("WEBPVP8 ".utf8), "a picture (WebP)"),
            (Array("%PDF-1.4".utf8), "a PDF document"),
        ] as [([UInt8], String)])
    func binaries(_ start: [UInt8], _ name: String) {
        #expect(ContentKind(start + [UInt8](repeating: 0, count: 20), isWhole: false) == .foreign(name: name))
    }

    @Test(
        "a medium stays a medium",
        arguments: [
            Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0], [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0, count: 12),
            Array("RIFF".utf8) + [0, 1, 0, 0] + Array("WAVEfmt ".utf8), Array("OggS".utf8) + [UInt8](repeating: 0, count: 12),
            Array("fLaC".utf8) + [UInt8](repeating: 0, count: 12), [0, 0, 0, 0x20] + Array("ftypM4A ".utf8) + [0, 0, 0, 0],
            Array("#!AMR\n".utf8) + [0x3C, 0x00, 1, 2, 3, 4, 5, 6, 7, 8], [UInt8](repeating: 0, count: 16),
        ] as [[UInt8]])
    func media(_ start: [UInt8]) { #expect(ContentKind(start, isWhole: false) == .medium) }

    @Test("a short text is undecided until it ends or the sample is complete")
    func undecided() {
        let text = Array("#EXTM3U\n".utf8)
        #expect(ContentKind([], isWhole: false) == .undecided && ContentKind(text, isWhole: false) == .undecided)
        #expect(ContentKind(text, isWhole: true) == .list(.m3u))
        #expect(ContentKind(text + [UInt8](repeating: 0x61, count: ContentKind.sampleSize), isWhole: false) == .list(.m3u))
        #expect(ContentKind([0xFF], isWhole: false) == .undecided && ContentKind([0], isWhole: false) == .undecided)
        #expect(ContentKind([], isWhole: true) == .medium)
    }

    @Test("a hint decides for a text without a mark, and for nothing else")
    func hints() {
        let names = Array("one\ntwo\n".utf8)
        #expect(ContentKind(names, isWhole: true, hint: .m3u) == .list(.m3u))
        #expect(ContentKind(names, isWhole: true) == .foreign(name: "a text"))
        #expect(ContentKind(Array("<html>".utf8), isWhole: true, hint: .m3u) == .foreign(name: "a web page (HTML)"))
        #expect(ContentKind(Array("[playlist]\nFile1=a".utf8), isWhole: true, hint: .m3u) == .list(.pls))
        #expect(ContentKind(Array("{\"a\":1}".utf8), isWhole: true, hint: .m3u) == .foreign(name: "a JSON document"))
    }

    @Test(
        "a document whose first element is that of RSS or Atom is a feed, whatever precedes the element",
        arguments: [
            "<rss version='2.0'>", "\u{FEFF}<?xml version='1.0'?>\n<!-- x -->\n<?xml-stylesheet href='x'?><rss>", "<feed xmlns='x'>",
            "<a:feed xmlns:a='x'>",
            "<!DOCTYPE rss PUBLIC '-//N//DTD RSS 0.91//EN' 'http://h/rss.dtd'><rss version='0.91'>",
        ])
    func feeds(_ text: String) {
        #expect(ContentKind(Array(text.utf8), isWhole: true) == .feed)
        #expect(ContentKind(Array(text.utf8), isWhole: true, hint: .m3u) == .feed)
        var wide: [UInt8] = [0xFF, 0xFE]
        for unit in text.utf16 where unit != 0xFEFF { wide += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
        #expect(ContentKind(wide, isWhole: true) == .feed)
    }

    @Test("the content type of a feed decides only for a document whose first element is not among the first bytes")
    func statedFeed() {
        let start = Array(("<!--" + String(repeating: "-x", count: ContentKind.sampleSize)).utf8)
        #expect(ContentKind(start, isWhole: false, isFeed: true) == .feed)
        #expect(ContentKind(start, isWhole: false) == .foreign(name: "an XML document"))
        #expect(ContentKind(Array("<html>".utf8), isWhole: true, isFeed: true) == .foreign(name: "a web page (HTML)"))
        #expect(ContentKind(Array("#EXTM3U\n".utf8), isWhole: true, isFeed: true) == .list(.m3u))
    }

    @Test("a list that declares a document type keeps its format, so that its refusal names the reason")
    func documentType() {
        #expect(ContentKind(Array("<?xml version='1.0'?><!DOCTYPE playlist [<!ENTITY a 'b'>]><playlist/>".utf8), isWhole: true) == .list(.xspf))
        #expect(ContentKind(Array("<!DOCTYPE ASX SYSTEM 'x'><asx/>".utf8), isWhole: true) == .list(.asx))
    }
}
