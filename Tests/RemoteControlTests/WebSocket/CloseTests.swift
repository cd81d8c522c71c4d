import PlaybackTesting
import Testing
import RemoteControl

/// RFC 6455, sections 5.5.1 and 7: the requirements of section 7 of the Autobahn test suite.
@Suite struct CloseTests {
    private static let normal: ClientFrame = ClientFrame.close(1000)
    private static let closed: MessageReader.Event = MessageReader.Event.close(.normal)
    private static let big: String = String(repeating: "*", count: 256 << 10)

    private static let cases: [Case] = [
        Case("7.1.1: a message, then a close", [.text("Hello"), normal], [.text("Hello"), closed]),
        Case("7.1.2: two closes", [normal, normal], [closed]),
        Case("7.1.3: a ping behind a close", [normal, .ping()], [closed]),
        Case("7.1.4: a message behind a close", [normal, .text("Hello")], [closed]),
        Case("7.1.5: a close within a message", [.text("frag", isFinal: false), normal, .continuation(Array("ment".utf8))], [closed]),
        Case("7.1.6: a long message, a close, a message, a ping", [.text(big), normal, .text("Hello"), .ping()], [.text(big), closed]),
        Case("7.3.1: a close without payload", [.close()], [.close(nil)]),
        Case("7.3.2: a close with one byte, which is like one without payload", [ClientFrame(0x8, [0x03])], [.close(nil)], failsAt: 0),
        Case("7.3.3: a close with a code", [normal], [closed]),
        Case("7.3.4: a close with a reason", [.close(1000, Array("Hello".utf8))], [.close(.normal, reason: "Hello")]),
        Case(
            "7.3.5: a close with the longest reason", [.close(1000, Array(repeating: UInt8(ascii: "*"), count: 123))],
            [.close(.normal, reason: String(repeating: "*", count: 123))]),
        Case(
            "7.3.6: a close with a longer one", [.close(1000, Array(repeating: UInt8(ascii: "*"), count: 124))], [.failure(.protocolError)],
            failsAt: 0),
    ]

    @Test("7.1 to 7.5: a close ends the messages and is repeated, and one that is too long fails", arguments: CloseTests.cases)
    func closes(_ one: Case) { check(one) }

    @Test(
        "7.7: a valid close code is accepted",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999])
    func validCode(code: UInt16) {
        check(Case("7.7", [.close(code)], [.close(CloseCode(rawValue: code))]))
    }

    @Test("7.9, 7.13: an invalid close code is a failure", arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535])
    func invalidCode(code: UInt16) {
        check(Case("7.9", [.close(code)], [.failure(.protocolError)], failsAt: 0))
        check(Case("with a reason", [.close(code, Array("x".utf8))], [.failure(.protocolError)], failsAt: 0))
    }

    @Test("input after a failure is ignored")
    func afterFailure() {
        check(Case("failure", [ClientFrame(0x3, []), .text("Hello"), normal()], [.failure(.protocolError)]))
        func normal() -> ClientFrame { .close(1000) }
    }

    // MARK: Frames of the server

    @Test(
        "a server's frames are whole and unmasked, with the shortest length (RFC 6455, 5.1 and 5.2)",
        arguments: [0, 1, 125, 126, 65535, 65536, 1 << 20])
    func serverFrames(length: Int) {
        let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var head: [UInt8] = [0x82]
        if length < 126 {
            head.append(UInt8(length))
        } else if length < 65536 {
            head += [126, UInt8(length >> 8), UInt8(length & 0xFF)]
        } else {
            head += [127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        }
        #expect(SocketFrame.encoded(.binary, payload) == head + payload)
    }

    @Test("a close frame has its code and its reason (RFC 6455, 5.5)")
    func closeFrame() {
        #expect(SocketFrame.close(.goingAway) == [0x88, 2, 0x03, 0xE9])
        #expect(SocketFrame.close(.normal, "bye") == [0x88, 5, 0x03, 0xE8] + Array("bye".utf8))
    }

    @Test("the response to a key is that of RFC 6455, section 1.3, and an invalid key has none")
    func accept() {
        #expect(Handshake.accept(key: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
        for key in ["", "AAAA", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25j Q==", String(repeating: "é", count: 12)] {
            #expect(Handshake.accept(key: key) == nil)
        }
    }

    @Test("base64 is that of RFC 4648, section 10")
    func base64() {
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
        for (count, text) in expected.enumerated() { #expect(Handshake.base64(Array("foobar".utf8.prefix(count))) == text) }
    }
}
