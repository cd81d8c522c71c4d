import Testing

@testable import PlaybackEngine

/// Feeds that are made to harm.
@Suite struct HostileFeedTests {
    private static let item = "<item><enclosure url=\"http://a/1.mp3\"/></item>"

    private func read(_ text: String) -> PlaylistFile { PlaylistFile(Array(text.utf8), format: .feed) }

    @Test(
        "a feed that defines anything is refused, and nothing of it is used",
        arguments: [
            "<!DOCTYPE rss [<!ENTITY a \"b\">]>", "<!DOCTYPE rss [<!ENTITY a SYSTEM \"file:///etc/passwd\">]>",
            "<!DOCTYPE rss [<!ENTITY % a SYSTEM \"http://a/\"> %a;]>", "<!DOCTYPE rss [<!ATTLIST item x CDATA \"y\">]>", "<!DOCTYPE rss []>",
        ])
    func definitions(_ type: String) {
        let file = read(type + "<rss>\(Self.item)</rss>")
        #expect(file.declaresType && file.lines.isEmpty)
        #expect(ContentKind(Array((type + "<rss/>").utf8), isWhole: true) == .list(.feed))
    }

    @Test("the definitions of another document are not read")
    func external() {
        let file = read("<!DOCTYPE rss SYSTEM \"file:///etc/passwd\"><rss><item><title>&a;x</title><enclosure url=\"b&a;\"/></item></rss>")
        #expect(file.lines.map(\.title) == ["x"] && file.lines.map(\.location) == ["b"])
    }

    @Test("elements that are too deep end the reading", arguments: [60, 61, 100_000])
    func deep(_ depth: Int) {
        // `rss` and the elements of the last item are deep too.
        let text = "<rss>\(Self.item)" + String(repeating: "<a>", count: depth) + Self.item + String(repeating: "</a>", count: depth) + Self.item
        #expect(read(text).lines.count == (depth <= 61 ? 3 : 1))
    }

    @Test("one endless name, attribute, text or list of attributes is read in linear time, and cut")
    func endless() {
        let long = String(repeating: "x", count: 1 << 20)
        let attributes = (0..<50_000).map { " a\($0)=\"\"" }.joined()
        for text in [
            "<item \(long)=\"1\">", "<\(long)/>", "<item a=\"\(long)\">", "<!--\(long)-->", "<?\(long)?>", "<![CDATA[\(long)]]>",
            "<item\(attributes)>",
        ] {
            #expect(read("<rss>\(Self.item)<channel>\(text)").lines.count == 1)
        }
        let file = read("<rss><item><title>\(long)</title><enclosure url=\"a\"/><enclosure url=\"\(long)\" type=\"audio/mpeg\"/></item></rss>")
        #expect(file.lines.first?.title?.utf8.count == 4096 && file.lines.map(\.location) == ["a"])
    }

    @Test("an episode with far too many enclosures has the best of the first ones")
    func manyEnclosures() {
        let many = String(repeating: "<enclosure url=\"a\"/>", count: 100_000) + "<enclosure url=\"b\" type=\"audio/mpeg\"/>"
        #expect(read("<rss><item>\(many)</item></rss>").lines.map(\.location) == ["a"])
    }

    @Test("items inside items are one episode")
    func nested() {
        #expect(
            read("<rss>" + String(repeating: "<item>", count: 20) + "<enclosure url=\"a\"/>" + String(repeating: "</item>", count: 20)).lines.count
                == 1)
    }

    @Test("a feed with as many episodes as a playlist may have is read, and one more is too many")
    func count() {
        let whole = String(repeating: Self.item, count: PlaylistFile.maximumCount)
        #expect(!read("<rss>\(whole)</rss>").isTooLong && read("<rss>\(whole)</rss>").lines.count == PlaylistFile.maximumCount)
        #expect(read("<rss>\(whole)\(Self.item)</rss>").isTooLong)
    }
}
