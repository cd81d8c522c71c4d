import Platform
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    @Test("percent-encoding is decoded strictly")
    func percent() {
        #expect(PercentEncoding.decoded("a%20b%C3%A9+") == "a bé+")
        #expect(PercentEncoding.decoded("a+b", plusIsSpace: true) == "a b")
        for text in ["%", "%1", "%g0", "%0g", "%00", "%FF", "%C3", "a%"] { #expect(PercentEncoding.decoded(text) == nil, "\(text)") }
    }

    @Test("a path is percent-encoded so that it decodes to the same path, whatever characters it has")
    func fileURLs() {
        let name = "/music/100% 'é' #1?;&=+.flac"
        #expect(PercentEncoding.decoded(PercentEncoding.encodedPath(name)) == name)
        #expect(!PercentEncoding.encodedPath(name).contains { " #?%".contains($0) && $0 != "%" })
    }

    @Test("lenient decoding keeps a percent sign that two hexadecimal digits do not follow")
    func lenient() {
        func decoded(_ text: String) -> String { String(decoding: PercentEncoding.lenientlyDecodedBytes(text), as: UTF8.self) }
        #expect(decoded("a%20b%C3%A9+") == "a bé+")
        for text in ["%", "%1", "100%", "%g0", "%0g", "%%", "%+1", "% 1"] { #expect(decoded(text) == text, "\(text)") }
        #expect(decoded("%%41") == "%A")
        #expect(PercentEncoding.lenientlyDecodedBytes("%00%FF") == [0, 255])
    }

    @Test("a URL becomes ASCII, and its encoding is kept")
    func asciiURLs() {
        #expect(PercentEncoding.asciiURL("http://é.example/a b%20c\"?d=<e>#f".utf8) == "http://%C3%A9.example/a%20b%20c%22?d=%3Ce%3E#f")
        #expect(PercentEncoding.asciiURL([0x2F, 0x00, 0x7F, 0xFF]) == "/%00%7F%FF")
    }

    @Test("only letters, digits and four marks are unreserved")
    func unreserved() {
        let kept = (UInt8.min...UInt8.max).filter(PercentEncoding.isUnreserved)
        #expect(String(decoding: kept, as: UTF8.self) == "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~")
    }
}
