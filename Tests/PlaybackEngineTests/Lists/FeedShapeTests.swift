import Platform
import Testing

@testable import PlaybackEngine

/// The shapes that podcast feeds have in practice: each is one rule with its example.
@Suite struct FeedShapeTests {
    /// A feed, and its entries as `location|title|duration|date`.
    struct Shape: Sendable, CustomTestStringConvertible {
        var rule: String
        var content: [UInt8]
        var entries: [String]
        var testDescription: String { rule }

        init(_ rule: String, _ text: String, _ entries: [String]) { self.init(rule, bytes: Array(text.utf8), entries) }
        init(_ rule: String, bytes: [UInt8], _ entries: [String]) { (self.rule, content, self.entries) = (rule, bytes, entries) }
    }

    private static func text(_ line: PlaylistFile.Line) -> String {
        let date = line.date.map { String(RFC3339.text($0).prefix(16)) } ?? ""
        let parts = [line.location, line.title ?? "", line.duration.map { "\($0)" } ?? "", date]
        return parts.joined(separator: "|").replacing(/\|+$/, with: "")
    }

    @Test("the feed is recognised by its content, and the episodes are read", arguments: rss + rssDates + atom)
    func shape(_ shape: Shape) {
        #expect(ContentKind(shape.content, isWhole: true) == .list(.feed))
        let file = PlaylistFile(shape.content, format: .feed)
        #expect(file.lines.map(Self.text) == shape.entries && !file.declaresType && !file.isTooLong)
        #expect(file.lines.allSatisfy { $0.isReference })
    }

    @Test("there are at least forty shapes")
    func count() { #expect(Self.rss.count + Self.rssDates.count + Self.atom.count >= 40) }

    /// A feed of RSS 2.0 with these elements in its channel.
    private static func channel(_ elements: String, start: String = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") -> String {
        start
            + "<rss version=\"2.0\" xmlns:itunes=\"http://www.itunes.com/dtds/podcast-1.0.dtd\"><channel><title>Show</title>\(elements)</channel></rss>"
    }
    private static func item(_ elements: String) -> String { channel("<item>\(elements)</item>") }
    private static let enclosure = "<enclosure url=\"http://a/1.mp3\" length=\"1\" type=\"audio/mpeg\"/>"

    static let rss: [Shape] = [
        Shape("a title and an enclosure", item("<title>One</title>" + enclosure), ["http://a/1.mp3|One"]),
        Shape("the duration of iTunes in seconds", item(enclosure + "<itunes:duration>754</itunes:duration>"), ["http://a/1.mp3||754.0"]),
        Shape("minutes and seconds", item(enclosure + "<itunes:duration>12:34</itunes:duration>"), ["http://a/1.mp3||754.0"]),
        Shape("hours, minutes and seconds", item(enclosure + "<itunes:duration> 1:00:01 </itunes:duration>"), ["http://a/1.mp3||3601.0"]),
        Shape("a wrong duration is unknown", item(enclosure + "<itunes:duration>one hour</itunes:duration>"), ["http://a/1.mp3"]),
        Shape("a title in CDATA", item("<title><![CDATA[Rock & Roll <live>]]></title>" + enclosure), ["http://a/1.mp3|Rock & Roll <live>"]),
        Shape("a title with entities", item("<title>Rock &amp; Roll &#8211; &#x41;</title>" + enclosure), ["http://a/1.mp3|Rock & Roll – A"]),
        Shape("a title in several lines", item("<title>\n  One\n  two\n</title>" + enclosure), ["http://a/1.mp3|One two"]),
        Shape("an entity of HTML is left out", item("<title>One&nbsp;two &eacute;</title>" + enclosure), ["http://a/1.mp3|Onetwo"]),
        Shape("the title of iTunes in place of none", item("<itunes:title>I</itunes:title>" + enclosure), ["http://a/1.mp3|I"]),
        Shape(
            "the title of the item before that of iTunes", item("<itunes:title>I</itunes:title><title>T</title>" + enclosure), ["http://a/1.mp3|T"]),
        Shape("the title of a picture is not that of the item", item("<image><title>No</title></image>" + enclosure), ["http://a/1.mp3"]),
        Shape("the enclosure before the title", item(enclosure + "<title>One</title>"), ["http://a/1.mp3|One"]),
        Shape("an item without an enclosure is left out", channel("<item><title>Text</title></item><item>\(enclosure)</item>"), ["http://a/1.mp3"]),
        Shape("an enclosure without a type", item("<enclosure url=\"http://a/1\"/>"), ["http://a/1"]),
        Shape("an unknown type", item("<enclosure url=\"http://a/1.mp3\" type=\"application/octet-stream\"/>"), ["http://a/1.mp3"]),
        Shape("a picture is no episode", item("<enclosure url=\"http://a/1.jpg\" type=\"image/jpeg\"/>"), []),
        Shape("a document without a type is no episode", item("<enclosure url=\"http://a/notes.PDF?x=1\"/>"), []),
        Shape(
            "several enclosures: audio before video, and pictures not at all",
            item("<enclosure url=\"p\" type=\"image/png\"/><enclosure url=\"v\" type=\"video/mp4\"/><enclosure url=\"a\" type=\"AUDIO/x-m4a\"/>"),
            ["a"]),
        Shape(
            "several enclosures with audio: the first", item("<enclosure url=\"b\" type=\"audio/ogg\"/><enclosure url=\"a\" type=\"audio/mpeg\"/>"),
            ["b"]),
        Shape("an empty address is left out", item("<enclosure url=\" \" type=\"audio/mpeg\"/>"), []),
        Shape("a relative address", item("<enclosure url=\" media/1%20a.mp3 \" type=\"audio/mpeg\"/>"), ["media/1%20a.mp3"]),
        Shape("an address with entities", item("<enclosure url=\"http://a/1?b=1&amp;c=2\"/>"), ["http://a/1?b=1&c=2"]),
        Shape(
            "the media of Media RSS in a group, in place of an enclosure",
            item("<media:group><media:content url=\"v\" medium=\"video\"/><media:content url=\"a\" type=\"audio/mpeg\"/></media:group>"), ["a"]),
        Shape("an enclosure before the media of Media RSS", item("<media:content url=\"m\" type=\"audio/mpeg\"/>" + enclosure), ["http://a/1.mp3"]),
        Shape("a link of Atom in RSS", item("<atom:link rel=\"enclosure\" href=\"http://a/1\" type=\"audio/mpeg\"/>"), ["http://a/1"]),
        Shape("a prefix that is not declared", "<rss><channel><item><x:y z:w=\"1\"/>\(enclosure)</item></channel></rss>", ["http://a/1.mp3"]),
        Shape(
            "blank lines and a comment before the document", "\n \n<!-- c -->" + channel("<item>\(enclosure)</item>", start: ""), ["http://a/1.mp3"]),
        Shape("a byte order mark", "\u{FEFF}" + item(enclosure), ["http://a/1.mp3"]),
        Shape(
            "a style sheet", channel("<item>\(enclosure)</item>", start: "<?xml version=\"1.0\"?><?xml-stylesheet href=\"a\"?>"), ["http://a/1.mp3"]),
        Shape(
            "the document type of RSS 0.91, which defines nothing itself",
            "<?xml version=\"1.0\"?><!DOCTYPE rss PUBLIC \"-//Netscape Communications//DTD RSS 0.91//EN\" \"http://my.netscape.com/rss.dtd\">"
                + channel("<item>\(enclosure)</item>", start: ""), ["http://a/1.mp3"]),
        Shape(
            "control characters", item("<!-- \(String(repeating: "x", count: 2048)) --><title>A\u{1}\u{B}B</title>" + enclosure),
            ["http://a/1.mp3|A B"]),
        Shape(
            "ISO 8859-1",
            bytes: Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><rss><item><title>caf".utf8) + [0xE9]
                + Array("</title>\(enclosure)</item></rss>".utf8), ["http://a/1.mp3|café"]),
        Shape(
            "ISO 8859-1 that says to be UTF-8",
            bytes: Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?><rss><item><title>caf".utf8) + [0xE9]
                + Array("</title>\(enclosure)</item></rss>".utf8), ["http://a/1.mp3|café"]),
        Shape("an encoding that nobody knows", "<?xml version=\"1.0\" encoding=\"x-mine\"?><rss><item>\(enclosure)</item></rss>", ["http://a/1.mp3"]),
        Shape(
            "UTF-16", bytes: utf16("<?xml version=\"1.0\" encoding=\"UTF-16\"?><rss><item><title>Ä</title>\(enclosure)</item></rss>"),
            ["http://a/1.mp3|Ä"]),
        Shape(
            "an end in the middle: the whole episodes before it", "<rss><item>\(enclosure)</item><item><enclosure url=\"b\"/><title>x",
            ["http://a/1.mp3"]),
        Shape("a mistake in the middle: the whole episodes before it", "<rss><item>\(enclosure)</item><item><p></item></rss>", ["http://a/1.mp3"]),
    ]

    private static func dated(_ dates: [String], _ element: String = "pubDate") -> String {
        channel(
            dates.enumerated().map { index, date in
                "<item><enclosure url=\"\(index)\" type=\"audio/mpeg\"/>" + (date.isEmpty ? "" : "<\(element)>\(date)</\(element)>") + "</item>"
            }.joined())
    }

    static let rssDates: [Shape] = [
        Shape(
            "the newest episode first", dated(["Wed, 02 Oct 2002 13:00:00 GMT", "Thu, 03 Oct 2002 13:00:00 GMT", "Tue, 01 Oct 2002 13:00:00 GMT"]),
            ["1|||2002-10-03T13:00", "0|||2002-10-02T13:00", "2|||2002-10-01T13:00"]),
        Shape("without dates the order of the feed", dated(["", "", ""]), ["0", "1", "2"]),
        Shape(
            "an episode without a date stays after the one before it", dated(["02 Oct 2002 13:00 GMT", "", "03 Oct 2002 13:00 GMT", "nonsense"]),
            ["2|||2002-10-03T13:00", "3", "0|||2002-10-02T13:00", "1"]),
        Shape("equal dates keep the order of the feed", dated(["02 Oct 2002", "02 Oct 2002"]), ["0|||2002-10-02T00:00", "1|||2002-10-02T00:00"]),
        Shape("an offset", dated(["Wed, 2 Oct 2002 01:00:00 +0230"]), ["0|||2002-10-01T22:30"]),
        Shape("the name of a zone", dated(["Wed, 02 Oct 2002 13:00:00 EST"]), ["0|||2002-10-02T18:00"]),
        Shape("names in full and in other letter case", dated(["wednesday, 02 OCTOBER 2002 13:00:00 gmt"]), ["0|||2002-10-02T13:00"]),
        Shape("a year of two digits", dated(["02 Oct 02 13:00:00 GMT"]), ["0|||2002-10-02T13:00"]),
        Shape("a date of RFC 3339 in RSS", dated(["2002-10-02T13:00:00+02:00"]), ["0|||2002-10-02T11:00"]),
        Shape("a date without a time", dated(["2002-10-02"]), ["0|||2002-10-02T00:00"]),
        Shape("the date of Dublin Core", dated(["2002-10-02T13:00:00Z"], "dc:date"), ["0|||2002-10-02T13:00"]),
        Shape(
            "wrong dates are unknown", dated(["32 Oct 2002 13:00 GMT", "02 Okt 2002", "02 Oct 2002 25:00", "02 Oct 1302 00:00"]),
            ["0", "1", "2", "3"]),
    ]

    private static func entry(_ elements: String) -> String {
        "<?xml version=\"1.0\"?><feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Show</title><entry>\(elements)</entry></feed>"
    }
    private static let link = "<link rel=\"enclosure\" type=\"audio/mpeg\" href=\"http://a/1.mp3\"/>"

    static let atom: [Shape] = [
        Shape("a link to an enclosure", entry("<title>One</title><link href=\"http://a/page\"/>" + link), ["http://a/1.mp3|One"]),
        Shape("a link to a page alone is no episode", entry("<title>One</title><link rel=\"alternate\" href=\"http://a/page\"/>"), []),
        Shape("several enclosures", entry("<link rel=\"enclosure\" type=\"text/html\" href=\"x\"/>" + link), ["http://a/1.mp3"]),
        Shape(
            "the date of publication before that of a change",
            entry("<updated>2020-01-01T00:00:00Z</updated><published>2010-01-01T00:00:00Z</published>" + link), ["http://a/1.mp3|||2010-01-01T00:00"]),
        Shape(
            "the date of a change in place of none", entry("<updated>2020-01-01T00:00:00Z</updated>" + link), ["http://a/1.mp3|||2020-01-01T00:00"]),
        Shape("a title in HTML", entry("<title type=\"html\">&lt;b&gt;Rock&lt;/b&gt; &amp;amp; Roll</title>" + link), ["http://a/1.mp3|Rock & Roll"]),
        Shape(
            "a title in XHTML", entry("<title type=\"xhtml\"><div xmlns=\"http://www.w3.org/1999/xhtml\">Rock <b>now</b></div></title>" + link),
            ["http://a/1.mp3|Rock now"]),
        Shape(
            "a prefix for all elements",
            "<a:feed xmlns:a=\"http://www.w3.org/2005/Atom\"><a:entry><a:title>T</a:title>"
                + "<a:link rel=\"enclosure\" href=\"b\"/></a:entry></a:feed>", ["b|T"]),
        Shape("the author's name is no title", entry("<author><name>A</name><title>No</title></author>" + link), ["http://a/1.mp3"]),
    ]

    @Test("xml:base is the base of relative addresses")
    func base() {
        let text = "<feed xml:base=\"http://b/c/\"><entry><link rel=\"enclosure\" href=\"1.mp3\"/></entry></feed>"
        #expect(PlaylistFile(Array(text.utf8), format: .feed).lines.map(\.base) == ["http://b/c/"])
    }

    private static func utf16(_ text: String) -> [UInt8] { [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
}
