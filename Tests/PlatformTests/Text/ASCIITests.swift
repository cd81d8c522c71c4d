import Platform
import Testing

@Suite("ASCII")
struct ASCIITests {
    private let all = Array(UInt8.min...UInt8.max)

    @Test("only letters change their case")
    func lowercase() {
        let changed = all.filter { $0.asciiLowercased != $0 }
        #expect(changed.elementsEqual("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8))
        #expect(changed.map(\.asciiLowercased).elementsEqual("abcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test("digits and letters are those of ASCII")
    func classes() {
        #expect(all.filter(\.isASCIIDigit).elementsEqual("0123456789".utf8))
        #expect(all.filter(\.isASCIILetter).elementsEqual("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8))
    }

    @Test("hexadecimal digits of either case have a value")
    func hexadecimal() {
        #expect(all.filter { $0.hexadecimalValue != nil }.elementsEqual("0123456789ABCDEFabcdef".utf8))
        #expect("0123456789abcdef".utf8.compactMap(\.hexadecimalValue) == Array(0..<16))
        #expect("ABCDEF".utf8.compactMap(\.hexadecimalValue) == Array(10..<16))
    }

    @Test("bytes are compared without regard to the case of ASCII letters, and of no other character")
    func comparison() {
        func same(_ text: String, _ other: StaticString) -> [Bool] {
            [
                Array(text.utf8).withUnsafeBytes { $0.equalsIgnoringCase(other) }, text.utf8.equalsIgnoringCase(other),
                text.utf8.equalsIgnoringCase(other.description.utf8),
            ]
        }
        #expect(same("hOsT", "Host") == [true, true, true])
        #expect(same("", "") == [true, true, true])
        #expect(same("Hos", "Host") == [false, false, false])
        #expect(same("Hosts", "Host") == [false, false, false])
        #expect(same("[", "{") == [false, false, false])
        #expect(same("é", "É") == [false, false, false])
        #expect(same("e\u{301}", "é") == [false, false, false])
        #expect(same("\u{212A}", "k") == [false, false, false])
    }
}
