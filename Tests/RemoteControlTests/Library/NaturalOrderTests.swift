import Platform
import Testing

@testable import RemoteControl

@Suite struct NaturalOrderTests {
    private static let names = [
        "", "0", "00", "1", "01", "1a", "2", "10", "A", "a", "a1", "a01", "A2", "a10b", "a10", "é", "É", "e\u{301}", "\u{FF}9",
    ]

    @Test("the order is total: of two different names one precedes the other, and the order is transitive")
    func total() {
        let keys = Self.names.map { NaturalOrder.Key(Array($0.utf8)) } + [[0xE9], [0xE9, 0x31], [0xFF]].map { NaturalOrder.Key($0 as [UInt8]) }
        for a in keys {
            for b in keys {
                #expect(a.precedes(b) != b.precedes(a) || a.exact == b.exact)
                for c in keys where a.precedes(b) && b.precedes(c) { #expect(a.precedes(c)) }
            }
        }
    }
}
