import PlaybackEngine
import Testing

@testable import FFmpegMedia

/// The decryption of segments.
@Suite("HLS decryption")
struct DecryptedSourceTests {
    /// The first blocks of the example of NIST SP 800-38A, section F.2.2 (CBC-AES128).
    private let key: [UInt8] = [0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c]
    private let encrypted: [UInt8] = [
        0x76, 0x49, 0xab, 0xac, 0x81, 0x19, 0xb2, 0x46, 0xce, 0xe9, 0x8e, 0x9b, 0x12, 0xe9, 0x19, 0x7d, 0x50, 0x86, 0xcb, 0x9b, 0x50, 0x72, 0x19,
        0xee,
        0x95, 0xdb, 0x11, 0x3a, 0x91, 0x76, 0x78, 0xb2,
    ]
    private let plain: [UInt8] = [
        0x6b, 0xc1, 0xbe, 0xe2, 0x2e, 0x40, 0x9f, 0x96, 0xe9, 0x3d, 0x7e, 0x11, 0x73, 0x93, 0x17, 0x2a, 0xae, 0x2d, 0x8a, 0x57, 0x1e, 0x03, 0xac,
        0x9c,
        0x9e, 0xb7, 0x6f, 0xac, 0x45, 0xaf, 0x8e, 0x51,
    ]

    private func source(_ bytes: [UInt8]) throws -> DecryptedSource {
        try DecryptedSource(SequentialBytes(bytes), key: key, vector: Array(0..<16))
    }

    @Test("blocks are decrypted as in the standard, and no byte that is no padding is removed")
    func standard() throws {
        #expect(try source(encrypted).readBytes(100) == plain)
        #expect(try source(Array(encrypted.prefix(16))).readBytes(100) == Array(plain.prefix(16)))
    }

    @Test("an incomplete block at the end of a resource that was cut is left out")
    func cut() throws {
        #expect(try source(Array(encrypted.prefix(20))).readBytes(100) == Array(plain.prefix(16)))
        #expect(try source(Array(encrypted.prefix(10))).readBytes(100).isEmpty)
        #expect(try source([]).readBytes(100).isEmpty)
    }
}
