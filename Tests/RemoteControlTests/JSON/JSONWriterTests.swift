import PlaybackTesting
import Testing

@testable import RemoteControl

@Suite struct JSONWriterTests {
    private func text(_ body: (inout JSONWriter) -> Void) -> String { String(decoding: JSONWriter.object(body), as: UTF8.self) }

    @Test("members of every kind, nested or not, are written with correct commas")
    func members() {
        let text = text { writer in
            writer.member("a", 1)
            writer.member("b", "x")
            writer.member("c", object: { $0.member("d", true) })
            writer.member("e", array: ["p", "q"]) { $0.string($1) }
            writer.member("f", array: [1, 2]) { writer, value in writer.object { $0.member("v", value) } }
            writer.member("g", array: [String]()) { $0.string($1) }
            writer.member("h", object: { _ in })
            writer.member("i", 0.5)
        }
        #expect(text == #"{"a":1,"b":"x","c":{"d":true},"e":["p","q"],"f":[{"v":1},{"v":2}],"g":[],"h":{},"i":0.5}"#)
    }

    @Test("absent and non-finite values omit their member")
    func absent() {
        let text = text { writer in
            writer.member("a", ifPresent: nil as String?)
            writer.member("b", ifPresent: nil as Int?)
            writer.member("c", ifPresent: Double.nan)
            writer.member("d", ifPresent: Double.infinity)
            writer.member("e", ifPresent: 2.5)
        }
        #expect(text == #"{"e":2.5}"#)
    }

    @Test("quotes, backslashes and control characters are escaped; other text is unchanged")
    func strings() throws {
        let original = "\"\\/\n\r\t\u{0}\u{1F}\u{7F}é😀\u{2028}"
        let bytes = JSONWriter.object { $0.member("s", original) }
        #expect(try JSONParser.parse(bytes)["s"]?.text == original)
        #expect(!bytes.contains { $0 < 0x20 })
    }

    @Test(
        "a double is written as its shortest text that parses to the same double",
        arguments: [
            (0.0, "0"), (-0.0, "0"), (1, "1"), (-3, "-3"), (0.1, "0.1"), (12.25, "12.25"), (8123.123456789, "8123.123456789"),
            (9_007_199_254_740_992, "9007199254740992"), (.leastNonzeroMagnitude, "5e-324"), (1e-7, "1e-07"),
            (1.7976931348623157e308, "1.7976931348623157e+308"),
        ])
    func doubles(_ value: Double, _ wanted: String) throws {
        #expect(JSONWriter.text(value) == wanted)
        #expect(try JSONParser.parse(Array(wanted.utf8)).double == value)
    }

    @Test("10,000 seeded random doubles are parsed back exactly")
    func roundTrip() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            #expect(try JSONParser.parse(Array(JSONWriter.text(value).utf8)).double == value)
        }
    }

    @Test("non-finite numbers are written as 0, so that the text stays valid JSON")
    func notFinite() {
        #expect(text { $0.member("a", Double.nan) } == #"{"a":0}"#)
        #expect(text { $0.member("a", -Double.infinity) } == #"{"a":0}"#)
    }
}
