import Platform
import PlaybackEngine
import Testing

@testable import FFmpegMedia

/// Podcast feeds in RSS and Atom.
@Suite struct FeedTests {
    static let apple = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"

    /// An RSS feed with these items.
    static func rss(_ items: String, channel: String = "") -> String {
        "<?xml version='1.0' encoding='UTF-8'?><rss version='2.0' \(apple)><channel><title>Show</title>\(channel)\(items)</channel></rss>"
    }

    static func item(_ url: String, _ content: String = "", type: String = "audio/mpeg") -> String {
        "<item><enclosure url='\(url)' length='1' type='\(type)'/>\(content)</item>"
    }

    static func atom(_ entries: String, feed: String = "") -> String {
        "<feed xmlns='http://www.w3.org/2005/Atom'><title>Show</title>\(feed)\(entries)</feed>"
    }

    private func feed(_ text: String) throws -> Feed { try Feed(Array(text.utf8)) }
    private func entry(_ content: String) throws -> Feed.Entry { try #require(try feed(Self.rss(Self.item("a", content))).entries.first) }

    @Test("an item of RSS has a title, an enclosure, a date, a duration and a picture")
    func rss() throws {
        let feed = try feed(
            Self.rss(
                Self.item(
                    "http://h/a.mp3?x=1&amp;y=2",
                    "<title>One</title><pubDate>Wed, 02 Oct 2002 13:00:00 GMT</pubDate><itunes:duration>1:02:03</itunes:duration>"
                        + "<itunes:image href='http://h/a.jpg'/><description>x</description>")))
        #expect(feed.format == .rss && feed.title == "Show" && !feed.isTruncated && feed.entries.count == 1)
        let entry = try #require(feed.entries.first)
        #expect(entry.title == "One" && entry.location == "http://h/a.mp3?x=1&y=2" && entry.number == 1)
        #expect(
            entry.publicationDate == RFC3339.seconds("2002-10-02T13:00:00Z") && entry.duration == 3723 && entry.picture?.location == "http://h/a.jpg")
    }

    @Test("an entry of Atom has a title, an enclosure, the date of its publication, and the picture of the feed")
    func atom() throws {
        let feed = try feed(
            Self.atom(
                "<entry><title>One</title><link href='http://h/page'/><link rel='enclosure' type='audio/ogg' href='http://h/a.ogg'/>"
                    + "<updated>2021-01-01T00:00:00Z</updated><published>2020-02-03T04:05:06+01:00</published></entry>",
                feed: "<updated>2022-01-01T00:00:00Z</updated><logo>http://h/l.png</logo>"))
        #expect(feed.format == .atom && feed.title == "Show" && feed.entries.count == 1)
        let entry = try #require(feed.entries.first)
        #expect(entry.title == "One" && entry.location == "http://h/a.ogg" && entry.picture?.location == "http://h/l.png" && entry.duration == nil)
        #expect(entry.publicationDate == RFC3339.seconds("2020-02-03T03:05:06Z"))
    }

    @Test("an entry of Atom without a date of publication has that of its last change")
    func updated() throws {
        let feed = try feed(Self.atom("<entry><link rel='enclosure' href='a'/><updated>2021-01-01T00:00:00Z</updated></entry>"))
        #expect(feed.entries.first?.publicationDate == RFC3339.seconds("2021-01-01T00:00:00Z"))
    }

    @Test("the newest entry is first, entries of one date keep their order, and entries without a date follow in the order of the feed")
    func order() throws {
        func dated(_ url: String, _ day: Int) -> String { Self.item(url, "<pubDate>\(day) Oct 2002 13:00 GMT</pubDate>") }
        let feed = try feed(
            Self.rss(
                Self.item("x") + dated("a", 1) + dated("b", 3) + Self.item("y", "<pubDate>yesterday</pubDate>") + dated("c", 3) + dated("d", 2)))
        #expect(feed.entries.map(\.location) == ["b", "c", "d", "a", "x", "y"] && feed.entries.map(\.number) == [3, 5, 6, 2, 1, 4])
    }

    @Test("a feed without dates keeps its order")
    func undated() throws {
        #expect(try feed(Self.rss(["c", "a", "b"].map { Self.item($0) }.joined())).entries.map(\.location) == ["c", "a", "b"])
    }

    @Test("the first enclosure with audio, video or no stated type is used, and an entry without one is skipped")
    func enclosures() throws {
        func enclosure(_ url: String, _ type: String) -> String { "<enclosure url='\(url)' \(type)/>" }
        let feed = try feed(
            Self.rss(
                "<item>\(enclosure("1.jpg", "type='image/jpeg'"))\(enclosure("", "type='audio/mpeg'"))\(enclosure("1.mp4", "type='VIDEO/mp4'"))"
                    + "\(enclosure("1.mp3", "type='audio/mpeg'"))</item><item><title>Text</title></item><item>"
                    + "\(enclosure("3.pdf", "type='application/pdf'"))"
                    + "</item><item>\(enclosure(" 4 ", ""))</item><item>\(enclosure("5.ogg", "type='application/ogg'"))</item>"))
        #expect(feed.entries.map(\.location) == ["1.mp4", "4", "5.ogg"] && feed.entries.map(\.number) == [1, 4, 5])
    }

    @Test(
        "a duration is seconds, minutes and seconds, or hours, minutes and seconds; another text is none",
        arguments: [
            ("3723", 3723), ("62:03", 3723), ("1:02:03", 3723), ("01:02:03.5", 3723.5), (" 90 ", 90), ("0", nil), ("00:00:00", nil), ("", nil),
            ("45 min", nil), ("-5", nil), ("1:2:3:4", nil), ("1::2", nil), ("1e3", nil), ("9999999999", nil), ("999999:999999:999999", nil),
            ("12345678901234567890123456789012345", nil),
        ] as [(String, Double?)])
    func durations(_ text: String, _ seconds: Double?) throws {
        #expect(try entry("<itunes:duration>\(text)</itunes:duration>").duration == seconds)
    }

    @Test("a title is one line, with the references of HTML resolved, also from CDATA")
    func titles() throws {
        #expect(try entry("<title>\n  A \t\n B \u{E9}</title>").title == "A B \u{E9}")
        #expect(try entry("<title><![CDATA[Q&amp;A &#8217;&lt;]]></title>").title == "Q&A \u{2019}<")
        #expect(try entry("<title>Q&amp;amp;A &amp; more</title>").title == "Q&A & more")
        #expect(try entry("<title>A<b>B</b>C</title>").title == "ABC")
        #expect(try entry("<title> </title>").title == nil)
        let entries = try feed(
            Self.atom(
                ["<title>Q&amp;amp;A</title>", "<title type='html'>Q&amp;amp;A</title>", "<title type='xhtml'><div><b>Q</b>&amp;A</div></title>"]
                    .map { "<entry>\($0)<link rel='enclosure' href='a'/></entry>" }.joined())
        ).entries
        #expect(entries.map(\.title) == ["Q&amp;A", "Q&A", "Q&A"])
    }

    @Test(
        "an ampersand that begins no reference of XML is read as in HTML (HTML, 13.2.5.72 and 13.5)",
        arguments: [
            ("A&nbsp;B &eacute;", "A\u{A0}B \u{E9}"), ("Q & A", "Q & A"), ("R&B &unknown; &;", "R&B &unknown; &;"),
            ("<![CDATA[Q & A &nbsp;B]]>", "Q & A \u{A0}B"), ("A<!-- & -->&#65;&#x42; &lt;", "AAB <"), ("A\u{B}B\u{1}", "A B"),
            ("A&#0;B &#xFFFF;", "A B \u{FFFF}"), ("&#X41;&#+66;&#x;", "A&#+66;&#x;"),
        ])
    func ampersands(_ text: String, _ title: String) throws {
        #expect(try entry("<title>\(text)</title>").title == title)
    }

    @Test("a URL with ampersands that are no references is read")
    func ampersandsOfURLs() throws {
        let item = "<item><enclosure url='http://h/a?b=1&c=2&amp;d=3&copy=4'/><itunes:image href='http://h/p?x&y'/></item>"
        let entry = try #require(try feed(Self.rss(item)).entries.first)
        #expect(entry.location == "http://h/a?b=1&c=2&d=3&copy=4" && entry.picture?.location == "http://h/p?x&y")
    }

    @Test("the namespaces decide, and not the prefixes")
    func namespaces() throws {
        let feed = try feed(
            "<rss xmlns:t='http://www.iTunes.com/DTDs/Podcast-1.0.dtd' xmlns:m='http://search.yahoo.com/mrss/' xmlns:itunes='x'><channel><item>"
                + "<m:title>M</m:title><t:title>T</t:title><title>Own</title><itunes:duration>1</itunes:duration><t:duration>2</t:duration>"
                + "<m:enclosure url='no'/><enclosure url='a'/></item></channel></rss>")
        #expect(feed.entries.map(\.title) == ["Own"] && feed.entries.map(\.duration) == [2] && feed.entries.map(\.location) == ["a"])
        let prefixed = try self.feed(
            "<a:feed xmlns:a='http://www.w3.org/2005/Atom'><a:entry><a:title>T</a:title><a:link rel='enclosure' href='b'/>"
                + "<link rel='enclosure' href='c'/>"
                + "</a:entry></a:feed>")
        #expect(prefixed.entries.map(\.location) == ["b"] && prefixed.entries.map(\.title) == ["T"])
        let owned = try self.feed("<rss xmlns='http://backend.userland.com/rss2'><channel>\(Self.item("d"))</channel></rss>")
        #expect(owned.entries.map(\.location) == ["d"])
    }

    @Test("an entry without a picture has that of the feed: Apple's, otherwise that of RSS, also if it follows the entries")
    func artwork() throws {
        let own = "<image><url>http://h/own.png</url><title>x</title></image>"
        let apple = "<itunes:image href='http://h/apple.jpg'/>"
        #expect(try feed(Self.rss(Self.item("a"), channel: own)).entries.map(\.picture?.location) == ["http://h/own.png"])
        #expect(try feed(Self.rss(Self.item("a") + own + apple)).entries.map(\.picture?.location) == ["http://h/apple.jpg"])
        #expect(try feed(Self.rss(Self.item("a", "<itunes:image href='b'/>") + apple)).entries.map(\.picture?.location) == ["b"])
        #expect(try feed(Self.rss(Self.item("a"), channel: own)).title == "Show")
    }

    @Test("the base addresses around an enclosure are kept, the outermost first")
    func bases() throws {
        let feed = try feed(
            "<rss xml:base='http://h/x/'><channel xml:base='y/'><item xml:base='1/'><enclosure url='a'/></item><item>"
                + "<enclosure xml:base='2/' url='b'/></item>"
                + "<item><title xml:base='no'/><enclosure url='c'/></item></channel></rss>")
        #expect(feed.entries.map(\.bases) == [["http://h/x/", "y/", "1/"], ["http://h/x/", "y/", "2/"], ["http://h/x/", "y/"]])
    }

    @Test("a picture is relative to the base addresses around it, not to those around the enclosure")
    func basesOfPictures() throws {
        let feed = try feed(
            "<rss xml:base='http://h/' \(Self.apple)><channel xml:base='c/'><image xml:base='i/'><url>own.png</url></image><item xml:base='1/'>"
                + "<itunes:image href='a.jpg'/><enclosure xml:base='2/' url='a'/></item><item><enclosure url='b'/></item></channel></rss>")
        #expect(
            feed.entries.map(\.picture) == [
                Feed.Picture(location: "a.jpg", bases: ["http://h/", "c/", "1/"]),
                Feed.Picture(location: "own.png", bases: ["http://h/", "c/", "i/"]),
            ])
        #expect(feed.lines.map(\.picture?.location) == ["a.jpg", "own.png"] && feed.lines.first?.picture?.bases == ["http://h/", "c/", "1/"])
    }

    @Test("elements of the same names in other elements are not those of an entry")
    func nested() throws {
        let entries = try feed(
            Self.atom(
                "<entry><source><title>S</title><link rel='enclosure' href='no'/></source><content type='xhtml'><title>C</title><entry/></content>"
                    + "<title>T</title><link rel='enclosure' href='a'/></entry>")
        ).entries
        #expect(entries.map(\.title) == ["T"] && entries.map(\.location) == ["a"])
        #expect(try entry("<x><item><enclosure url='b'/></item></x>").location == "a")
    }

    @Test("the lines of a feed have its locations, titles, durations, dates and base addresses")
    func lines() throws {
        let content = "<title>T</title><itunes:duration>5</itunes:duration><pubDate>1 Jan 1970 00:01 GMT</pubDate>"
        let text = "<rss xml:base='b' \(Self.apple)><channel>\(Self.item("a", content))</channel></rss>"
        let line = try #require(try feed(text).lines.first)
        #expect(
            line.location == "a" && line.title == "T" && line.duration == 5 && line.publicationDate == 60 && line.bases == ["b"] && line.isReference
                && line.number == 1)
    }
}
