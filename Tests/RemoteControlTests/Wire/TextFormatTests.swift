import Testing

@testable import RemoteControl

@Suite struct TextFormatTests {
    @Test("entity tags are compared by the rules of RFC 9110")
    func entityTags() {
        let tag = "\"e0:1\""
        for field in [tag, "W/" + tag, "*", "\"a\" , " + tag, "\"a\"," + tag + "\t"] { #expect(EntityTag.noneMatchNames(field, tag), "\(field)") }
        for field in ["", "\"e0:2\"", "e0:1", "\"\""] { #expect(!EntityTag.noneMatchNames(field, tag), "\(field)") }
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
        #expect(
            names.sorted { NaturalOrder.standard.key($0.utf8).precedes(NaturalOrder.standard.key($1.utf8)) }
                == ["a", "b", "B", "é", "track 02", "Track 2", "Track 2b", "Track 10"])
    }
}
