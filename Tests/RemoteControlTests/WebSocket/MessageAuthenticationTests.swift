import Testing
import RemoteControl

/// HMAC-SHA256, with the test cases of RFC 4231.
@Suite struct MessageAuthenticationTests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test(
        "the codes are those of RFC 4231",
        arguments: [
            (Array(repeating: UInt8(0x0B), count: 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
            (Array("Jefe".utf8), "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
            (
                Array(repeating: UInt8(0xAA), count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ] as [([UInt8], String, String)])
    func codes(key: [UInt8], message: String, code: String) {
        #expect(Self.hexadecimal(MessageAuthentication.sha256(key: key, message: Array(message.utf8))) == code)
    }

    @Test("only identical bytes match")
    func matching() {
        #expect(MessageAuthentication.matches([1, 2, 3], [1, 2, 3]))
        for other: [UInt8] in [[], [1], [1, 2], [1, 2, 4], [1, 2, 3, 0], [0, 2, 3]] { #expect(!MessageAuthentication.matches([1, 2, 3], other)) }
        #expect(!MessageAuthentication.matches([], [1]))
    }
}
