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
}
