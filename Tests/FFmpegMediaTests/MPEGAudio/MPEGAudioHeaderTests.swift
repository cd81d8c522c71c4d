import Testing

@testable import FFmpegMedia

@Suite("MPEG audio headers")
struct MPEGAudioHeaderTests {
    @Test("MPEG audio headers are parsed, and invalid ones refused")
    func mpegHeaders() throws {
        func header(_ bytes: [UInt8]) -> MPEGAudioHeader? { bytes.withUnsafeBufferPointer { MPEGAudioHeader($0) } }
        let common = try #require(header([0xFF, 0xFB, 0x90, 0x00]))
        #expect(common.sampleRate == 44_100 && common.frameSize == 417 && common.samples == 1152 && common.channels == 2 && common.layer == 3)
        let low = try #require(header([0xFF, 0xE3, 0x18, 0xC4]))
        #expect(low.sampleRate == 8000 && low.samples == 576 && low.channels == 1)
        for bad in [
            [0xFF, 0xFB, 0xF0, 0], [0xFF, 0xFB, 0x9C, 0], [0xFF, 0xEB, 0x90, 0], [0xFF, 0xF9, 0x90, 0], [0xFE, 0xFB, 0x90, 0], [0xFF, 0xFB],
        ] as [[UInt8]] {
            #expect(header(bad) == nil)
        }
    }
}
