import PlaybackTesting
import Testing
import RemoteControl

/// RFC 6455, sections 5.6 and 8.1, and RFC 3629: the requirements of section 6 of the Autobahn test suite.
@Suite struct TextTests {
    private static let valid: [UInt8] = Array("Hello-µ@ßöäüàá-UTF-8!!".utf8)
    /// "κόσμε"; the accented letter has three bytes.
    private static let kosme: [UInt8] = [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5]
    /// "κόσμε", a surrogate (invalid in UTF-8), and "edited".
    private static let invalid: [UInt8] = kosme + [0xED, 0xA0, 0x80] + Array("edited".utf8)

    private static func fragments(_ bytes: [UInt8], _ size: Int) -> [ClientFrame] {
        let starts = Array(stride(from: 0, to: bytes.count, by: size))
        return starts.map { start in
            ClientFrame(start == 0 ? 0x1 : 0x0, Array(bytes[start..<min(bytes.count, start + size)]), isFinal: start == starts.last)
        }
    }

    private static let cases: [Case] = [
        Case("6.1.1: text without payload", [.text("")], [.text("")]),
        Case(
            "6.1.2: three fragments without payload", [.text("", isFinal: false), .continuation([], isFinal: false), .continuation([])], [.text("")]),
        Case(
            "6.1.3: three fragments, the middle one with payload",
            [.text("", isFinal: false), .continuation(Array("middle".utf8), isFinal: false), .continuation([])], [.text("middle")]),
        Case("6.2.1: valid text in one frame", [ClientFrame(0x1, valid)], [.text(valid)]),
        Case("6.2.2: in two, cut between characters", fragments(valid, 6), [.text(valid)]),
        Case("6.2.3, 6.2.4: in as many as it has bytes", fragments(valid, 1), [.text(valid)]),
        Case("6.3.1: text that is not UTF-8", [ClientFrame(0x1, invalid)], [.failure(.invalidData)], failsAt: 0),
        Case("6.3.2: byte by byte, it fails at the byte that cannot be", fragments(invalid, 1), [.failure(.invalidData)], failsAt: 12),
        Case(
            "6.4.1: three fragments, of which the second is wrong",
            [
                ClientFrame(0x1, kosme, isFinal: false), .continuation([0xF4, 0x90, 0x80, 0x80], isFinal: false),
                .continuation(Array("edited".utf8)),
            ], [.failure(.invalidData)], failsAt: 1),
        Case(
            "6.4.2: it fails at the first byte that cannot be, though the fragment's last byte has not come",
            [ClientFrame(0x1, kosme + [0xF4], isFinal: false), .continuation([0x90], isFinal: false), .continuation([0x80, 0x80])],
            [.failure(.invalidData)], failsAt: 1),
        Case("6.5.5: text that ends within a character", [ClientFrame(0x1, [0xCE, 0xBA, 0xE1])], [.failure(.invalidData)], failsAt: 0),
        Case(
            "a character that goes on in no fragment", [ClientFrame(0x1, [0xCE], isFinal: false), .continuation([])], [.failure(.invalidData)],
            failsAt: 1),
    ]

    @Test("6.1 to 6.5: empty and fragmented text is received, and invalid text fails at its first invalid byte", arguments: TextTests.cases)
    func cut(_ one: Case) { check(one) }

    @Test("6.4.3, 6.4.4: a partly received frame fails at the first invalid byte")
    func failFastWithinFrame() {
        let bytes = ClientFrame(0x1, Self.kosme + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)).bytes
        // The frame's head, its mask, eleven bytes of text, and F4, which is the first byte of some valid characters.
        let echo = Echo()
        #expect(echo.send(Array(bytes[..<(6 + 12)])) == [])
        #expect(echo.send([bytes[18]]) == [.failure(.invalidData)])
    }

    /// Pairs of bytes and whether these bytes are valid UTF-8.
    struct Sample: Sendable, CustomTestStringConvertible {
        var number: String
        var bytes: [UInt8]
        var isValid: Bool
        var testDescription: String { number + " " + bytes.map { String($0, radix: 16) }.joined(separator: " ") }
    }

    private static func samples(_ number: String, _ isValid: Bool, _ all: [[UInt8]]) -> [Sample] {
        all.enumerated().map { Sample(number: "\(number).\($0 + 1)", bytes: $1, isValid: isValid) }
    }
    private static func scalars(_ values: [UInt32]) -> [[UInt8]] { values.map { Array(UTF8.encode(Unicode.Scalar($0) ?? " ") ?? .init()) } }
    /// The surrogate encoded in three bytes.
    private static func surrogate(_ value: UInt16) -> [UInt8] {
        [0xE0 | UInt8(value >> 12), 0x80 | UInt8(value >> 6 & 0x3F), 0x80 | UInt8(value & 0x3F)]
    }
    private static let surrogates: [UInt16] = [0xD800, 0xDB7F, 0xDB80, 0xDBFF, 0xDC00, 0xDF80, 0xDFFF]
    private static let highs: [UInt16] = [0xD800, 0xD800, 0xDB7F, 0xDB7F, 0xDB80, 0xDB80, 0xDBFF, 0xDBFF]
    private static let lows: [UInt16] = [0xDC00, 0xDFFF, 0xDC00, 0xDFFF, 0xDC00, 0xDFFF, 0xDC00, 0xDFFF]
    private static let incomplete: [[UInt8]] = [
        [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80], [0xFC, 0x80, 0x80, 0x80, 0x80], [0xDF], [0xEF, 0xBF],
        [0xF7, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF],
    ]

    private static let all: [Sample] = [
        samples("6.6", true, [2, 5, 7, 9, 11].map { Array(kosme.prefix($0)) }),
        samples("6.6 cut", false, [1, 3, 4, 6, 8, 10].map { Array(kosme.prefix($0)) }),
        samples("6.7: the first of each length", true, [[0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80]]),
        samples("6.8: of five and six bytes", false, [[0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80]]),
        samples("6.9: the last of each length", true, [[0x7F], [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF]]),
        samples(
            "6.10: beyond", false, [[0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF], [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF]]),
        samples("6.11: at the borders", true, scalars([0xD7FF, 0xE000, 0xFFFD, 0x10FFFF])),
        samples("6.11.5: beyond the border", false, [[0xF4, 0x90, 0x80, 0x80]]),
        samples(
            "6.12: continuation bytes alone", false,
            [[0x80], [0xBF]] + (2...7).map { count in (0..<count).map { $0 % 2 == 0 ? 0x80 : 0xBF } } + [Array(0x80...0xBF)]),
        samples(
            "6.13: first bytes alone", false,
            [Array(0xC0...0xDF), Array(0xE0...0xEF), Array(0xF0...0xF7), Array(0xF8...0xFB), Array(0xFC...0xFD)].map { bytes in
                bytes.flatMap { [$0, 0x20] }
            }),
        samples("6.14: the last byte missing", false, incomplete),
        samples("6.15: all of these", false, [incomplete.flatMap { $0 }]),
        samples("6.16: bytes that never come", false, [[0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF]]),
        samples(
            "6.17: a slash in too many bytes", false,
            [
                [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xF8, 0x80, 0x80, 0x80, 0xAF],
                [0xFC, 0x80, 0x80, 0x80, 0x80, 0xAF],
            ]),
        samples(
            "6.18: the largest in too many", false,
            [
                [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF8, 0x87, 0xBF, 0xBF, 0xBF],
                [0xFC, 0x83, 0xBF, 0xBF, 0xBF, 0xBF],
            ]),
        samples(
            "6.19: NUL in too many", false,
            [
                [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF8, 0x80, 0x80, 0x80, 0x80],
                [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80],
            ]),
        samples("6.20: surrogates", false, surrogates.map(surrogate)),
        samples("6.21: pairs of surrogates", false, zip(highs, lows).map { surrogate($0) + surrogate($1) }),
        samples(
            "6.22: characters that are none", true,
            scalars((0...0x10).flatMap { plane in [0xFFFE, 0xFFFF].map { plane << 16 | $0 } })),
        samples("6.23: special ones", true, scalars(Array(0xFFF9...0xFFFF))),
    ].flatMap { $0 }

    @Test("6.6 to 6.23: valid UTF-8 is received, and other bytes fail with 1007, whole and byte by byte", arguments: TextTests.all)
    func samples(_ sample: Sample) {
        #expect((String(validating: sample.bytes, as: UTF8.self) != nil) == sample.isValid, "as the standard library sees it")
        let outcome: [MessageReader.Event] = sample.isValid ? [.text(sample.bytes)] : [.failure(.invalidData)]
        check(Case(sample.number, [ClientFrame(0x1, sample.bytes)], outcome))
        check(Case(sample.number, Self.fragments(sample.bytes, 1), outcome))
    }
}
