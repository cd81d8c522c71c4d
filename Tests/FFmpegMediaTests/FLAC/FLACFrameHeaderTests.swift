import Testing

@testable import FFmpegMedia

@Suite("FLAC frame headers")
struct FLACFrameHeaderTests {
    @Test("FLAC frame headers give the position of their frame")
    func flacHeaders() throws {
        func header(_ bytes: [UInt8]) -> FLACFrameHeader? { bytes.withUnsafeBufferPointer { FLACFrameHeader($0) } }
        let fixed = try #require(header([0xFF, 0xF8, 0xC9, 0x18, 0x05, 0xAA, 0, 0]))
        #expect(fixed.hasFixedBlockSize && fixed.number == 5 && fixed.blockSize == 4096)
        let long = try #require(header([0xFF, 0xF9, 0x79, 0x18, 0xC4, 0x80, 0x12, 0x33, 0]))
        #expect(!long.hasFixedBlockSize && long.number == 256 && long.blockSize == 0x1234)
        #expect(header([0xFF, 0xF8, 0xC9, 0x18, 0x80, 0, 0, 0]) == nil)
        #expect(header([0xFF, 0xF8, 0xC9, 0x18, 0xC4, 0x00, 0, 0]) == nil)
        #expect(header([0xFF, 0xF8]) == nil)
    }
}
