import Testing

@testable import RemoteControl

@Suite struct TextFormatTests {
    @Test(
        "dates are written and parsed as RFC 3339 date-times",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_769_860_800.25, "2026-01-31T12:00:00.250Z"), (951_782_400, "2000-02-29T00:00:00.000Z"),
            (-86_400, "1969-12-31T00:00:00.000Z"), (4_107_542_400, "2100-03-01T00:00:00.000Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
            (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
        ] as [(Double, String)])
    func dates(_ seconds: Double, _ text: String) {
        #expect(RFC3339.text(seconds) == text)
        #expect(RFC3339.seconds(text) == seconds)
    }

    @Test("time zones and fractions of any length are parsed")
    func zones() {
        #expect(RFC3339.seconds("1970-01-01T01:00:00+01:00") == 0)
        #expect(RFC3339.seconds("1969-12-31t18:30:00.5-05:30") == 0.5)
        #expect(RFC3339.seconds("1970-01-01T00:00:00.123456789z").map { abs($0 - 0.123456789) < 1e-9 } == true)
        #expect(RFC3339.seconds("2016-12-31T23:59:60Z") == RFC3339.seconds("2017-01-01T00:00:00Z"))
    }

    @Test(
        "text that is not a date-time is refused",
        arguments: [
            "", "2026", "2026-01-31", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-32T00:00:00Z", "2026-00-01T00:00:00Z",
            "2026-01-00T00:00:00Z",
            "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+1:00",
            "2026-01-01T00:00:00+24:00", "2026-01-01 00:00:00Z", "+026-01-01T00:00:00Z", "2026-01-01T00:00:00ZZ",
        ])
    func notDates(_ text: String) { #expect(RFC3339.seconds(text) == nil) }

    @Test("dates out of range are written as the nearest one", arguments: [1e300, -1e300, .nan, .infinity] as [Double])
    func farDates(_ seconds: Double) { #expect(RFC3339.seconds(RFC3339.text(seconds)) != nil) }

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

    @Test("entity tags are compared by the rules of RFC 9110")
    func entityTags() {
        let tag = "\"e0:1\""
        for field in [tag, "W/" + tag, "*", "\"a\" , " + tag, "\"a\"," + tag + "\t"] { #expect(EntityTag.noneMatchNames(field, tag), "\(field)") }
        for field in ["", "\"e0:2\"", "e0:1", "\"\""] { #expect(!EntityTag.noneMatchNames(field, tag), "\(field)") }
        #expect(EntityTag.matchNames(tag, tag))
        #expect(EntityTag.matchNames("*", tag))
        #expect(!EntityTag.matchNames("W/" + tag, tag))
    }

    @Test(
        "a client's name is cleaned of control characters, limited to 64 characters, and never a reserved name",
        arguments: [
            (nil, "remote"), ("", "remote"), ("  ", "remote"), ("kitchen phone", "kitchen phone"), (" x ", "x"), ("a\u{7}\r\nb\u{202E}", "ab"),
            ("player", "remote"), ("Player", "remote"), ("Küche 😀", "Küche 😀"),
            (String(repeating: "x", count: 1000), String(repeating: "x", count: 64)),
        ] as [(String?, String)])
    func clientNames(_ given: String?, _ wanted: String) { #expect(ClientName.sanitised(given) == wanted) }

    @Test("names are sorted in natural order")
    func naturalOrder() {
        let names = ["b", "Track 10", "a", "Track 2", "track 02", "B", "Track 2b", "é"]
        #expect(NaturalOrder.sorted(names) { $0 } == ["a", "B", "b", "Track 2", "track 02", "Track 2b", "Track 10", "é"])
    }
}
