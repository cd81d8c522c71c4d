import Testing

@testable import PulseOutput

/// Tests of a stream that has 8 bytes for each frame and begins with frame 100.
@Suite("StreamContent") struct StreamContentTests {
    private let content = StreamContent(base: 100, bytesPerFrame: 8)

    @Test("bytes of the stream count from its first frame")
    func offsets() {
        #expect(content.writeOffset == 0)
        content.wrote(50)
        #expect(content.writtenFrames == 150 && content.writeOffset == 400)
        #expect(content.frame(at: 80) == 110)
        content.setEnd(120)
        #expect(content.writeOffset == 160)
    }

    @Test("silence that the server has taken is excluded from the frame count, so that the next frame follows it")
    func silence() {
        content.wrote(50)
        content.pad(byteCount: 160)
        #expect(content.isPadded)
        // The server has read all frames and 5 frames of silence.
        content.skipPadding(to: 440, isEmptied: false)
        #expect(content.frame(at: 440) == 150 && content.writeOffset == 440 && content.isPadded)
        content.skipPadding(to: 560, isEmptied: false)
        #expect(content.frame(at: 560) == 150 && !content.isPadded)
    }

    @Test("silence before which the server stopped moves nothing, and a flush removes it")
    func unreadSilence() {
        content.wrote(50)
        content.pad(byteCount: 160)
        content.skipPadding(to: 320, isEmptied: true)
        #expect(content.base == 100 && !content.isPadded)
    }

    @Test("frames replace the silence until none remains")
    func replaced() {
        content.wrote(50)
        content.pad(byteCount: 160)
        content.wrote(10)
        #expect(content.shortenPadding())
        content.wrote(10)
        #expect(!content.shortenPadding() && !content.isPadded)
    }
}
