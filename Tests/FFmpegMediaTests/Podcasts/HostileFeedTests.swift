import Testing

@testable import FFmpegMedia

/// Feeds that are damaged, or made to harm.
@Suite struct HostileFeedTests {
    private func message(_ text: String) -> String? {
        do throws(FeedError) {
            _ = try Feed(Array(text.utf8))
            return nil
        } catch { return error.message }
    }

    private func nested(_ count: Int) -> String {
        FeedTests.rss(FeedTests.item("a", String(repeating: "<x>", count: count) + String(repeating: "</x>", count: count)))
    }

    @Test("a document type with declarations of its own stops the parser before the first one, whatever it declares")
    func declaredEntities() {
        let laughs = "<!ENTITY a 'ha'>" + (1...30).map { "<!ENTITY a\($0) '&a\($0 - 1 == 0 ? "" : "\($0 - 1)");&a;'>" }.joined()
        for subset in [
            laughs, "<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;", "<!ENTITY f SYSTEM 'file:///etc/passwd'>", "<!ATTLIST item a CDATA 'x'>", "",
        ] {
            let text = "<!DOCTYPE rss [\(subset)]>" + FeedTests.rss(FeedTests.item("a", "<title>&a30;&f;</title>")).dropFirst(38)
            #expect(message(text) == "The feed declares its own document type (DTD), which is not accepted.")
        }
    }

    @Test("an external document type is not read: its entities are text, and those of HTML are characters")
    func externalType() throws {
        let item = "<item><title>A&nbsp;B&own;</title><enclosure url='a'/></item>"
        let text = "<!DOCTYPE rss SYSTEM 'file:///etc/passwd'><rss><channel>\(item)</channel></rss>"
        #expect(try Feed(Array(text.utf8)).entries.map(\.title) == ["A\u{A0}B&own;"])
    }

    @Test("elements in too many others are an error")
    func depth() {
        #expect(message(nested(Feed.maximumDepth - 3)) == nil)
        #expect(message(nested(Feed.maximumDepth - 2)) == "The feed has elements in more than 64 others.")
        #expect(message(nested(1_000_000)) == "The feed has elements in more than 64 others.")
    }

    @Test("too many entries with an enclosure are an error, and entries without one do not count")
    func count() throws {
        let items = String(repeating: FeedTests.item("a"), count: Feed.maximumCount) + String(repeating: "<item/>", count: 100)
        #expect(try Feed(Array(FeedTests.rss(items).utf8)).entries.count == Feed.maximumCount)
        #expect(message(FeedTests.rss(items + FeedTests.item("b"))) == "The feed has more than 10000 entries.")
    }

    @Test("a long title is cut off between characters, and a long address is none")
    func longText() throws {
        let text = FeedTests.rss(FeedTests.item("a", "<title>x\(String(repeating: "\u{E9}", count: 1 << 20))</title>"))
        let title = try #require(try Feed(Array(text.utf8)).entries.first?.title)
        #expect(title.utf8.count == 1023 && title.unicodeScalars.dropFirst().allSatisfy { $0 == "\u{E9}" })
        func picture(_ count: Int) throws -> String? {
            let image = "<image><url>\(String(repeating: "x", count: count))</url></image>"
            return try Feed(Array(FeedTests.rss(FeedTests.item("a") + image).utf8)).entries.first?.picture?.location
        }
        #expect(try picture(FeedBuilder.maximumTextLength - 1) != nil && picture(FeedBuilder.maximumTextLength) == nil)
    }

    @Test("too many base addresses in each other, or a long one, are an error")
    func bases() {
        func text(_ bases: [String]) -> String {
            FeedTests.rss(FeedTests.item("a", bases.map { "<x xml:base='\($0)'>" }.joined() + bases.map { _ in "</x>" }.joined()))
        }
        let short = Array(repeating: "b/", count: Feed.maximumBaseCount)
        #expect(message(text(short)) == nil && message(text([String(repeating: "b", count: Feed.maximumBaseLength)])) == nil)
        #expect(message(text(short + ["b/"]))?.hasPrefix("The feed has a base address (xml:base) that is too long") == true)
        #expect(message(text([String(repeating: "b", count: Feed.maximumBaseLength + 1)])) != nil)
        #expect(message(FeedTests.rss(String(repeating: FeedTests.item("a", "<x xml:base='b'/>"), count: 20))) == nil)
    }

    @Test("a feed that ends early has its complete entries; without one it is an error")
    func truncated() throws {
        let text = FeedTests.rss(FeedTests.item("a", "<title>A</title>") + FeedTests.item("b", "<title><![CDATA[\u{E9}]]></title>"))
        let bytes = Array(text.utf8)
        var counts: Set<Int> = []
        for count in 1..<bytes.count {
            do throws(FeedError) {
                let feed = try Feed(Array(bytes[..<count]))
                #expect(feed.isTruncated && feed.entries.first?.location == "a" && feed.entries.first?.title == "A")
                counts.insert(feed.entries.count)
            } catch {
                switch error {
                case .truncated, .notFeed: break
                default: Issue.record("\(count) bytes: \(error.message)")
                }
            }
        }
        #expect(counts == [1, 2] && message(String(text.prefix(200))) == "The feed is incomplete, and ends before its first enclosure.")
    }

    @Test("what follows the root element is not read")
    func junk() throws {
        #expect(try Feed(Array((FeedTests.rss(FeedTests.item("a")) + "<b>Warning</b> x").utf8)).entries.count == 1)
    }

    @Test(
        "a document that is not well-formed is an error with its line",
        arguments: [
            ("<rss>\n<channel>\n</rss>", "line 3, mismatched tag"), ("<rss>\n&nbsp; & <a b></rss>", "line 2, not well-formed (invalid token)"),
            ("<rss>A < B</rss>", "line 1, not well-formed (invalid token)"), ("<rss><x:item/></rss>", "line 1, unbound prefix"),
        ])
    func malformed(_ text: String, _ reason: String) { #expect(message(text) == "The feed is not well-formed XML: \(reason).") }

    @Test("the number of repairs is limited, and the rest of the document is as it was")
    func repairs() {
        func text(_ count: Int) -> String { FeedTests.rss(FeedTests.item("a", "<x>\(String(repeating: "& ", count: count))</x>")) }
        #expect(message(text(1 << 16)) == nil)
        #expect(message(text(1 << 16 + 1))?.hasSuffix("not well-formed (invalid token).") == true)
    }

    @Test("a document without enclosures, and one that is no feed, are named for what they are")
    func foreign() {
        let none = "The feed is not a podcast: none of its entries has an enclosure with audio or video."
        #expect(message(FeedTests.rss("<item><title>A</title></item>")) == none && message(FeedTests.atom("")) == none)
        #expect(message("<html/>") == "The document is not a feed (RSS or Atom)." && message("<RSS/>") == message("<html/>"))
        #expect(
            message("") == message("<html/>") && FeedError.notFeed.isForeign && FeedError.noEnclosures.isForeign && !FeedError.truncated.isForeign)
    }

    @Test(
        "a tag, a text, a comment or an attribute without an end is read in linear time",
        arguments: ["<rss a='", "<rss ", "<rss>x", "<!--", "<rss><![CDATA["])
    func endless(_ start: String) { #expect(message(start + String(repeating: "x y", count: 1 << 20)) != nil) }

    @Test("the largest feed of the smallest elements, and of attributes, is read")
    func largest() {
        #expect(message("<rss>" + String(repeating: "<a/>", count: (1 << 20))) != nil)
        #expect(message("<rss " + (0..<100_000).map { "a\($0)='' " }.joined() + ">") != nil)
        #expect(message("<rss " + (0..<10_000).map { "xmlns:a\($0)='u\($0)' " }.joined() + ">") != nil)
    }

    @Test("any bytes are read without a trap")
    func noise() {
        var state: UInt64 = 42
        let parts = [
            "<rss>", "<channel>", "<item>", "</item>", "<enclosure url='a'/>", "<title>", "</title>", "<![CDATA[", "]]>", "&amp;", "&#", "<!--",
            "-->", "\u{E9}",
            "<feed xmlns='http://www.w3.org/2005/Atom'>", "<entry>", "</entry>", "<link rel='enclosure' href='a'/>", "<!DOCTYPE rss ", "[", "<?xml ",
            "?>",
        ].map { Array($0.utf8) }
        for _ in 0..<2000 {
            let bytes = (0..<20).flatMap { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                let choice = Int(state >> 33)
                return choice % 7 == 0 ? [UInt8(truncatingIfNeeded: choice >> 8)] : parts[choice % parts.count]
            }
            if let feed = try? Feed(bytes) { #expect(feed.entries.count <= 20) }
        }
    }
}
