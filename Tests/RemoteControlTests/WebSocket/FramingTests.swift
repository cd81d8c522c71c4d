import PlaybackTesting
import Testing
import RemoteControl

/// RFC 6455, sections 5.2 and 5.4 to 5.6: the requirements of sections 1 to 5 of the Autobahn test suite.
@Suite struct FramingTests {
    private static let star: [UInt8] = [UInt8(ascii: "*")]
    private static let sizes: [Int] = [0, 125, 126, 127, 128, 65535, 65536]

    @Test("1.1: text is received with every form of length", arguments: FramingTests.sizes)
    func text(length: Int) {
        let payload = Array(repeating: UInt8(ascii: "*"), count: length)
        check(Case("1.1", [ClientFrame(0x1, payload)], [.text(payload)]))
    }

    @Test("1.2: binary is received with every form of length", arguments: FramingTests.sizes)
    func binary(length: Int) {
        let payload = Array(repeating: UInt8(0xFE), count: length)
        check(Case("1.2", [.binary(payload)], [.binary(payload)]))
    }

    private static let pingCases: [Case] = [
        Case("2.1: a ping without payload", [.ping()], [.pong([])]),
        Case("2.2: a ping with text", [.ping(Array("Hello, world!".utf8))], [.pong(Array("Hello, world!".utf8))]),
        Case("2.3: a ping with bytes that are no UTF-8", [.ping([0x00, 0xFF, 0xFE, 0xFD])], [.pong([0x00, 0xFF, 0xFE, 0xFD])]),
        Case("2.4: a ping with 125 bytes", [.ping(Array(repeating: 0xFE, count: 125))], [.pong(Array(repeating: 0xFE, count: 125))]),
        Case("2.5: a ping with 126 bytes", [.ping(Array(repeating: 0xFE, count: 126))], [.failure(.protocolError)], failsAt: 0),
        Case("2.7: a pong that nobody asked for", [ClientFrame.pong()], []),
        Case("2.8: such a pong with payload", [ClientFrame.pong(star)], []),
        Case("2.9: such a pong, then a ping", [ClientFrame.pong(star), .ping([1])], [.pong([1])]),
        Case("2.10: ten pings", (0..<10).map { .ping([$0]) }, (0..<10).map { .pong([$0]) }),
    ]

    @Test("2: pings are answered, and pongs ignored (also octet by octet: 2.6, 2.11)", arguments: FramingTests.pingCases)
    func pings(_ one: Case) { check(one) }

    private static let hello: ClientFrame = ClientFrame.text("Hello")
    private static let reserved: [Case] = [
        Case("3.1: text with RSV3", [ClientFrame(0x1, star, reservedBits: 1)], [.failure(.protocolError)], failsAt: 0),
        Case(
            "3.2, 3.3: text, then text with RSV2, then a ping", [hello, ClientFrame(0x1, star, reservedBits: 2), .ping()],
            [.text("Hello"), .failure(.protocolError)], failsAt: 1),
        Case(
            "3.3: text, then text with RSV2 and RSV3", [hello, ClientFrame(0x1, star, reservedBits: 3), .ping()],
            [.text("Hello"), .failure(.protocolError)], failsAt: 1),
        Case(
            "3.4: text, then text with RSV1, octet by octet too", [hello, ClientFrame(0x1, star, reservedBits: 4), .ping()],
            [.text("Hello"), .failure(.protocolError)], failsAt: 1),
        Case("3.5: binary with RSV1 and RSV3", [ClientFrame(0x2, [0xFF], reservedBits: 5)], [.failure(.protocolError)], failsAt: 0),
        Case("3.6: a ping with RSV1 and RSV2", [ClientFrame(0x9, star, reservedBits: 6)], [.failure(.protocolError)], failsAt: 0),
        Case("3.7: a close with all three", [ClientFrame(0x8, [0x03, 0xE8], reservedBits: 7)], [.failure(.protocolError)], failsAt: 0),
    ]

    @Test("3: reserved bits without an extension are a failure", arguments: FramingTests.reserved)
    func reservedBits(_ one: Case) { check(one) }

    @Test(
        "4.1, 4.2: an unknown opcode fails, with and without payload, first and after a message", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
    func opcodes(opcode: UInt8) {
        check(Case("alone", [ClientFrame(opcode, [])], [.failure(.protocolError)], failsAt: 0))
        check(Case("payload", [ClientFrame(opcode, Self.star)], [.failure(.protocolError)], failsAt: 0))
        check(Case("behind", [Self.hello, ClientFrame(opcode, Self.star), .ping()], [.text("Hello"), .failure(.protocolError)], failsAt: 1))
    }

    private static let continuation: ClientFrame = ClientFrame.continuation(Array("lo".utf8))
    private static let begin: ClientFrame = ClientFrame.text("Hel", isFinal: false)
    private static let fragments: [Case] = [
        Case("5.1: a ping in fragments", [ClientFrame(0x9, star, isFinal: false), .continuation(star)], [.failure(.protocolError)], failsAt: 0),
        Case("5.2: a pong in fragments", [ClientFrame(0xA, star, isFinal: false), .continuation(star)], [.failure(.protocolError)], failsAt: 0),
        Case("5.3 to 5.5: text in two fragments", [begin, continuation], [.text("Hello")]),
        Case("5.6 to 5.8: and a ping between them", [begin, .ping(star), continuation], [.pong(star), .text("Hello")]),
        Case("5.9 to 5.11: a last continuation of nothing", [continuation, hello], [.failure(.protocolError)], failsAt: 0),
        Case(
            "5.12 to 5.14: a continuation of nothing", [.continuation(star, isFinal: false), hello], [.failure(.protocolError)], failsAt: 0),
        Case(
            "5.15: a continuation behind a message that is complete",
            [begin, continuation, .continuation(star, isFinal: false), begin, continuation],
            [.text("Hello"), .failure(.protocolError)], failsAt: 2),
        Case(
            "5.16: a continuation of nothing, then a message, twice", [.continuation(star, isFinal: false), begin, continuation],
            [.failure(.protocolError)], failsAt: 0),
        Case("5.17: a last continuation of nothing, then a message", [continuation, begin, continuation], [.failure(.protocolError)], failsAt: 0),
        Case("5.18: a message in two fragments that both begin one", [begin, .text("lo")], [.failure(.protocolError)], failsAt: 1),
        Case(
            "5.19, 5.20: five fragments, with pings between them",
            [
                begin, .continuation(Array("lo".utf8), isFinal: false), .ping([1]), .continuation(Array(", w".utf8), isFinal: false),
                .continuation(Array("orl".utf8), isFinal: false), .ping([2]), .continuation(Array("d".utf8)),
            ], [.pong([1]), .pong([2]), .text("Hello, world")]),
        Case("binary in fragments", [.binary([1], isFinal: false), .continuation([0xFF])], [.binary([1, 0xFF])]),
        Case("a close in fragments", [ClientFrame(0x8, [], isFinal: false)], [.failure(.protocolError)], failsAt: 0),
        Case(
            "binary within a text", [begin, .binary([1])], [.failure(.protocolError)], failsAt: 1),
    ]

    @Test("5: fragments are joined, and invalid sequences are a failure", arguments: FramingTests.fragments)
    func fragmentation(_ one: Case) { check(one) }

    // MARK: Cases that the Autobahn test suite does not have

    @Test("an unmasked frame of any kind is a failure (RFC 6455, 5.1)", arguments: [0x1, 0x2, 0x8, 0x9, 0xA])
    func unmasked(opcode: UInt8) {
        var frame = ClientFrame(opcode, opcode == 0x8 ? [0x03, 0xE8] : [0x2A])
        frame.mask = nil
        check(Case("unmasked", [frame], [.failure(.protocolError)], failsAt: 0))
    }

    @Test("any mask is accepted, also one of zeros", arguments: [[0, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF], [1, 2, 3, 4]] as [[UInt8]])
    func masks(mask: [UInt8]) {
        var frame = ClientFrame.text("Hello, world, of more than four bytes")
        frame.mask = mask
        check(Case("mask", [frame], [.text("Hello, world, of more than four bytes")]))
    }

    @Test(
        "a length that is not in the shortest form is a failure, as is one beyond 63 bits (RFC 6455, 5.2)",
        arguments: [
            [0x82, 0xFE, 0x00, 0x7D], [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0],
            [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0, 1],
        ] as [[UInt8]])
    func lengths(head: [UInt8]) {
        let echo = Echo()
        #expect(echo.send(head + [1, 2, 3, 4, 5, 6, 7, 8]) == [.failure(.protocolError)])
    }

    @Test("a message beyond the limit fails before the frame that exceeds it is stored, and one at the limit is accepted")
    func limit() {
        func send(_ frames: [ClientFrame]) -> [MessageReader.Event] {
            let reader = MessageReader(maximumSize: 100)
            return frames.flatMap { frame in frame.bytes.withUnsafeBytes { reader.read($0) }.map(\.plain) }
        }
        let bytes = { (count: Int) in Array(repeating: UInt8(0), count: count) }
        #expect(send([.binary(bytes(100))]) == [.binary(bytes(100))])
        #expect(send([.binary(bytes(101))]) == [.failure(.messageTooBig)])
        #expect(send([.binary(bytes(60), isFinal: false), .continuation(bytes(40))]) == [.binary(bytes(100))])
        #expect(send([.binary(bytes(60), isFinal: false), .continuation(bytes(41))]) == [.failure(.messageTooBig)])
        #expect(send([.binary(bytes(60), isFinal: false), .ping(bytes(100)), .continuation(bytes(40))]) == [.pong(bytes(100)), .binary(bytes(100))])
        let claim = MessageReader(maximumSize: 100)
        let claimed: [UInt8] = [0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4, 5]
        #expect(claimed.withUnsafeBytes { claim.read($0) }.map(\.plain) == [.failure(.messageTooBig)])
        #expect(claim.keptCount == 0)
    }

    @Test("100,000 random bytes end in a failure or without an event, never in a trap, and no more than the limit is stored (seeded)")
    func noise() {
        var seed: UInt64 = 1
        func random() -> UInt8 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: seed >> 40)
        }
        var ends: Set<Int> = []
        for _ in 0..<5000 {
            let reader = MessageReader(maximumSize: 200)
            for _ in 0..<4 {
                let bytes = (0..<5).map { _ in random() }
                for event in bytes.withUnsafeBytes({ reader.read($0) }) {
                    if case .reply(let frame, isLast: true) = event, frame.count >= 4 { ends.insert(Int(frame[2]) << 8 | Int(frame[3])) }
                }
                if reader.keptCount > 325 { Issue.record("it keeps \(reader.keptCount) bytes") }
            }
        }
        #expect(ends.isSuperset(of: [1002, 1007]))
    }
}
