import Testing

@testable import RemoteControl

@Suite struct JSONParserTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONParser.parse(Array(text.utf8)) }
    private func error(_ text: String) -> JSONSyntaxError? { error(Array(text.utf8)) }
    private func error(_ bytes: [UInt8]) -> JSONSyntaxError? {
        do throws(JSONSyntaxError) {
            _ = try JSONParser.parse(bytes)
            return nil
        } catch { return error }
    }

    @Test("every kind of value is parsed, in order")
    func values() throws {
        let value = try parse(#" { "a" : [ true , false , null , -1.5e+2 , "x" ] , "b" : { } , "c":[]} "#)
        #expect(
            value
                == .object([
                    JSONMember(name: "a", value: .array([.bool(true), .bool(false), .null, .number(JSONNumber(text: "-1.5e+2")), .string("x")])),
                    JSONMember(name: "b", value: .object([])), JSONMember(name: "c", value: .array([])),
                ]))
    }

    @Test("escapes and surrogate pairs are decoded to their characters")
    func escapes() throws {
        #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#) == .string("\"\\/\u{8}\u{C}\n\r\té😀"))
    }

    @Test(
        "text that is not JSON is refused",
        arguments: [
            "", " ", "{", "}", "[1,]", "{\"a\":1,}", "{a:1}", "{'a':1}", "{\"a\" 1}", "{\"a\":}", "[1 2]", "01", "1.", ".5", "-", "+1", "1e", "0x10",
            "NaN",
            "Infinity", "-Infinity", "nul", "truee", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"a\nb\"", "{} {}", "[] x", "/* */ {}",
            "\u{FEFF}{}",
        ])
    func malformed(_ text: String) { #expect(error(text) != nil) }

    @Test("lone surrogates are refused", arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\u0041""#])
    func surrogates(_ text: String) { #expect(error(text)?.reason == "An escaped surrogate is not part of a pair.") }

    @Test(
        "text that is not UTF-8 is refused",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0x22]] as [[UInt8]])
    func encoding(_ bytes: [UInt8]) { #expect(error(bytes)?.reason == "The text is not valid UTF-8.") }

    @Test("member names are compared as bytes, and have at most 256 bytes")
    func names() throws {
        // The names of both members are "é", composed and with a combining mark. Swift's `String` treats them as equal, but in JSON they are two
        // names.
        #expect(throws: Never.self) { try JSONParser.parse(Array("{\"\u{E9}\":1,\"e\u{301}\":2}".utf8)) }
        let name = String(repeating: "\u{301}", count: 128)
        #expect(throws: Never.self) { try JSONParser.parse(Array("{\"\(name)\":1}".utf8)) }
        let error = #expect(throws: JSONSyntaxError.self) { try JSONParser.parse(Array("{\"\(name)a\":1}".utf8)) }
        #expect(error?.reason == "A member's name has more than 256 bytes.")
    }

    @Test("a duplicate member is refused with its pointer")
    func duplicates() {
        #expect(error(#"{"a":{"b/c":1,"b/c":2}}"#)?.pointer == "/a/b~1c")
        #expect(error(#"[0,{"x":1,"\u0078":2}]"#)?.pointer == "/1/x")
    }

    @Test("32 levels of nesting are parsed, 33 and a million are refused without a trap")
    func depth() {
        func nested(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
        #expect(error(nested(32)) == nil)
        #expect(error(nested(33))?.reason == "The document is nested too deeply.")
        #expect(error(String(repeating: "[", count: 1_000_000)) != nil)
        #expect(error(String(repeating: "{\"a\":", count: 100_000)) != nil)
    }

    @Test("a syntax error has the byte offset of the fault")
    func offsets() { #expect(error(#"{"a": tru}"#) == JSONSyntaxError(offset: 6, reason: "The text is not a JSON value.")) }

    @Test("integers are exact, and numbers out of range are nil")
    func numbers() {
        #expect(JSONNumber(text: "9223372036854775807").integer == .max)
        #expect(JSONNumber(text: "9223372036854775808").integer == nil)
        #expect(JSONNumber(text: "-9223372036854775808").integer == .min)
        #expect(JSONNumber(text: "441e3").integer == 441_000)
        #expect(JSONNumber(text: "1.0").integer == 1)
        #expect(JSONNumber(text: "1.5").integer == nil)
        #expect(JSONNumber(text: "1e308").integer == nil)
        #expect(JSONNumber(text: "1e400").double == nil)
        #expect(JSONNumber(text: "-1e400").double == nil)
        #expect(JSONNumber(text: "1e-400").double == 0)
        #expect(JSONNumber(text: String(repeating: "9", count: 100_000)).double == nil)
        #expect(JSONNumber(text: "0.1").double == 0.1)
    }
}
