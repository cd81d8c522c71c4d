import Platform
import Testing

@Suite("Text from outside")
struct OuterTextTests {
    @Test("texts of the same characters and other bytes are different keys")
    func bytes() {
        let composed: OuterText = "\u{E9}", decomposed: OuterText = "e\u{301}"
        #expect(String(composed) == String(decomposed))
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed, OuterText("\u{E9}")]).count == 2)
    }
}
