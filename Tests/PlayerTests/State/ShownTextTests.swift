import Platform
import Testing

@testable import Player

@Suite("Shown text")
struct ShownTextTests {
    @Test("title, artist and album are truncated to 1 KiB between two characters")
    func shownText() {
        #expect(PlayerState.Item.text(nil) == nil)
        #expect(PlayerState.Item.text(String(repeating: "x", count: 1024)) == String(repeating: "x", count: 1024))
        #expect(PlayerState.Item.text(String(repeating: "x", count: 1025)) == String(repeating: "x", count: 1024))
        #expect(PlayerState.Item.text("x" + String(repeating: "😀", count: 256)) == "x" + String(repeating: "😀", count: 255))
        #expect(PlayerState.Item.text("xx" + String(repeating: "é", count: 512)) == "xx" + String(repeating: "é", count: 511))
    }

    @Test("several values are one text and a list, both of at most 1 KiB; a single value has no list (R-ASSET-21)")
    func shownValues() {
        func texts(_ values: OuterText...) -> [String?] {
            let (joined, list) = PlayerState.Item.texts(values)
            return [joined] + list
        }
        #expect(texts() == [nil] && texts("A") == ["A"] && texts("A", "B, C") == ["A, B, C", "A", "B, C"])
        let long = String(repeating: "x", count: 1000)
        #expect(texts(OuterText(long), "A", OuterText(long)) == [long + ", A, " + String(repeating: "x", count: 19), long, "A"])
    }
}
