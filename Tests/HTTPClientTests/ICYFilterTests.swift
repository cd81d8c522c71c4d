import Platform
import PlaybackEngine
import PlaybackTesting
import Testing

@testable import HTTPClient

@Suite("The metadata of radio stations in a stream")
struct ICYFilterTests {
    /// The audio that a filter leaves of `bytes`, and the blocks with their offsets in this audio, if the bytes arrive in parts of `size`.
    private func filtered(_ bytes: [UInt8], interval: Int64, size: Int) throws -> (audio: [UInt8], titles: [(offset: Int, title: String)]) {
        var filter = try #require(ICYFilter(interval: interval))
        var audio: [UInt8] = [], titles: [(Int, String)] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            var part = Array(bytes[start..<min(start + size, bytes.count)])
            let (count, blocks) = part.withUnsafeMutableBytes { filter.filter($0) }
            titles += blocks.map { (audio.count + $0.offset, $0.entries.first.map { String($0.value) } ?? "") }
            audio += part[..<count]
        }
        return (audio, titles)
    }

    private func title(_ text: String) -> OuterText? { StationMetadata.entries(Array(text.utf8))?.first { $0.key == "StreamTitle" }?.value }

    @Test("metadata are removed from the audio, and titles have the offset of the audio byte that follows", arguments: [1, 2, 7, 100, 10_000])
    func removal(_ size: Int) throws {
        let audio = (0..<350).map { UInt8($0 % 251) }
        let bytes =
            Array(audio[..<100]) + MediaServer.titleBlock("StreamTitle='One';") + Array(audio[100..<200]) + [0] + Array(audio[200..<300])
            + MediaServer.titleBlock("StreamTitle='Two';StreamUrl='http://a/';") + Array(audio[300...])
        let (rest, titles) = try filtered(bytes, interval: 100, size: size)
        #expect(rest == audio)
        #expect(titles.map(\.offset) == [100, 300] && titles.map(\.title) == ["One", "Two"])
    }

    @Test("an interval of one byte, the smallest, works")
    func smallestInterval() throws {
        let (audio, titles) = try filtered([1, 0, 2] + MediaServer.titleBlock("StreamTitle='x';") + [3, 0], interval: 1, size: 3)
        #expect(audio == [1, 2, 3] && titles.map(\.offset) == [2])
    }

    @Test("an interval that is no positive number is none", arguments: ["0", "-1", "-9223372036854775808", "9223372036854775808", "", "x", "1e3"])
    func noInterval(_ value: String) throws {
        #expect(ICYFilter(try #require(HTTPReply(Array("ICY 200 OK\r\nicy-metaint: \(value)".utf8)))) == nil)
    }

    @Test("with the largest interval, everything is audio")
    func largestInterval() throws {
        let bytes = [UInt8](repeating: 9, count: 5000)
        #expect(try filtered(bytes, interval: .max, size: 999).audio == bytes)
    }

    @Test("a block has at most 4080 bytes, and a block that is cut off by the end of the stream has no title")
    func blockSizes() throws {
        let long = "StreamTitle='" + String(repeating: "a", count: ICYFilter.blockLimit - 15) + "';"
        let (audio, titles) = try filtered([5] + MediaServer.titleBlock(long) + [6], interval: 1, size: 64)
        #expect(audio == [5, 6] && titles.first?.title.count == ICYFilter.blockLimit - 15)
        let cut = try filtered([5] + MediaServer.titleBlock(long).dropLast(), interval: 1, size: 64)
        #expect(cut.audio == [5] && cut.titles.isEmpty)
    }

    @Test(
        "a title may contain quotation marks, semicolons and equals signs",
        arguments: [
            ("StreamTitle='Guns N' Roses - Don't Cry';StreamUrl='';", "Guns N' Roses - Don't Cry"),
            ("StreamTitle='A';B - C;';StreamUrl='http://x/';", "A';B - C;"),
            ("StreamTitle='1=2';", "1=2"), ("StreamTitle=''quoted'';", "'quoted'"), ("StreamTitle='no end", "no end"),
            ("StreamTitle='no semicolon'", "no semicolon"), ("StreamUrl='u';StreamTitle='second';", "second"),
            ("StreamTitle='first';StreamTitle='second';", "first"), ("StreamTitle='  spaces \u{0}\u{0}';", "spaces"),
            ("StreamTitle='li\u{1B}ne\r\n';", "line"),
        ])
    func quotes(_ text: String, _ expected: String) { #expect(title(text).map { String($0) } == expected) }

    @Test(
        "a block without a title is ignored; an empty title ends the former one",
        arguments: ["", "StreamUrl='x';", "StreamTitle", "StreamTitle=", "';"])
    func noTitle(_ text: String) {
        #expect(StationMetadata.entries(Array(text.utf8)) == nil)
        #expect(StationMetadata.entries(Array("StreamTitle='';".utf8)) == [])
    }

    @Test("titles are read as UTF-8, and as windows-1252 if they are not UTF-8 (Encoding Standard, 4.2)")
    func encodings() {
        #expect(title("StreamTitle='Bj\u{F6}rk';") == "Bj\u{F6}rk")
        #expect(StationMetadata.entries(Array("StreamTitle='Bj".utf8) + [0xF6] + Array("rk';".utf8))?.first?.value == "Bj\u{F6}rk")
        let quoted: [UInt8] = Array("StreamTitle='Don".utf8) + [0x92] + Array("t ".utf8) + [0x96] + Array(" A';".utf8)
        #expect(StationMetadata.entries(quoted)?.first?.value == "Don\u{2019}t \u{2013} A")
    }

    @Test(
        "character references in titles are resolved as in HTML, and what is none stays",
        arguments: [
            ("Simon &amp; Garfunkel", "Simon & Garfunkel"), ("Caf&#233; &#xE9;", "Caf\u{E9} \u{E9}"),
            ("Don&#146;t &lt;3 &quot;&apos;", "Don\u{2019}t <3 \"'"),
            ("Beyonc&eacute; &ndash; Stra&szlig;e &Auml;&yuml;", "Beyonc\u{E9} \u{2013} Stra\u{DF}e \u{C4}\u{FF}"),
            ("A & B;", "A & B;"), ("R&B &nothing; &#; &#x110000;", "R&B &nothing; &#; &#x110000;"), ("&amp;amp;", "&amp;"), ("a&#10;b", "ab"),
        ])
    func references(_ written: String, _ expected: String) {
        #expect(title("StreamTitle='\(written)';StreamUrl='';").map { String($0) } == expected)
    }

    @Test("a block of the worst text takes time in proportion to its size")
    func worstBlock() {
        var work = 0
        for text in ["StreamTitle='" + String(repeating: "';", count: 2033), String(repeating: "A='';", count: 816)] {
            work += StationMetadata.entries(Array(text.utf8))?.count ?? 0
        }
        #expect(work == 1)
    }

    @Test("a station's facts are read from the head of the response; empty and long ones are limited")
    func facts() throws {
        let head = "ICY 200 OK\r\nicy-name: Radio \u{F6}\r\nicy-genre: \r\nicy-br: 128\r\nicy-url: " + String(repeating: "u", count: 5000)
        let facts = StationMetadata.facts(try #require(HTTPReply(Array(head.utf8))))
        #expect(facts.map(\.key) == ["icy-name", "icy-url", "icy-br"])
        #expect(facts.first?.value == "Radio \u{F6}" && facts[1].value.utf8.count == StationMetadata.factLimit)
    }
}
