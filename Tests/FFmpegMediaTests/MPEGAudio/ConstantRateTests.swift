import PlaybackTesting
import Testing

@testable import FFmpegMedia

@Suite("Constant bit rates")
struct ConstantRateTests {
    /// Returns frames of 128 kbit/s at 44.1 kHz, padded so that their average size is 417.96 bytes, or unpadded.
    static func frames(_ count: Int, isPadded: Bool = true) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 1...count {
            let isLong = isPadded && Int(Double(number) * 417.959_183_67) > Int(Double(number - 1) * 417.959_183_67) + 417
            bytes += FrameWalkTests.frame(isPadded: isLong)
        }
        return bytes
    }
    static func rate(_ bytes: [UInt8]) -> ConstantRate? { bytes.withUnsafeBufferPointer { ConstantRate($0) } }

    @Test("the offset of each frame is calculated, with and without padding", arguments: [true, false])
    func offsets(_ isPadded: Bool) throws {
        let bytes = Self.frames(5000, isPadded: isPadded), rate = try #require(Self.rate(bytes))
        var at = 0
        for number in 0..<Int64(5000) {
            #expect(abs(rate.distance(of: number) - Int64(at)) <= rate.deviation)
            #expect(rate.frames(in: Int64(at)) == number)
            let header = Array(bytes[at..<(at + 4)])
            at += header.withUnsafeBufferPointer { MPEGAudioHeader($0)?.frameSize ?? 0 }
        }
        #expect(rate.frames(in: Int64(at) + 100) == nil)
    }

    @Test("frames of different bit rates, and too few frames, have no constant one")
    func variable() {
        #expect(Self.rate(Self.frames(8) + FrameWalkTests.frame(10) + Self.frames(20)) == nil)
        #expect(Self.rate(Self.frames(15)) == nil)
    }

    @Test("a frame is recognised by the frames after it")
    func recognised() throws {
        let bytes = Self.frames(40), rate = try #require(Self.rate(bytes))
        func first(_ bytes: [UInt8]) -> Int? { bytes.withUnsafeBufferPointer { rate.firstFrame(in: $0, from: 0..<3) } }
        #expect(first([1, 2] + bytes) == 2)
        #expect(first([1, 2, 3] + bytes) == nil)
        #expect(first(Self.frames(10) + FrameWalkTests.frame(10) + Self.frames(10)) == nil)
        #expect(first(Self.frames(10)) == nil)
    }
}

@Suite("Estimated byte offsets")
struct ByteEstimateTests {
    @Test("a position has the share of the bytes that the table states")
    func table() {
        let estimate = ByteEstimate(shares: [0, 0.5, 0.75, 1], bytes: 1000..<2000, frames: 300)
        #expect([0, 50, 100, 150, 200, 300].map { estimate.offset(of: $0) } == [1000, 1250, 1500, 1625, 1750, 2000])
        #expect(estimate.offset(of: -5) == 1000 && estimate.offset(of: .max) == 2000)
    }

    @Test("positions and byte offsets belong to each other")
    func inverse() {
        let estimate = ByteEstimate(shares: [0, 0.5, 0.5, 1], bytes: 1000..<2000, frames: 300)
        #expect(estimate.frames == 300)
        #expect([0, 50, 100, 200, 250, 300].map { estimate.offset(of: $0) } == [1000, 1250, 1500, 1500, 1750, 2000])
        #expect([500, 1000, 1250, 1499, 1750, 2000, 3000].map { estimate.position(of: $0) } == [0, 0, 50, 99, 250, 300, 300])
    }

    @Test(
        "a table that does not increase from 0 to 1 is not used",
        arguments: [[0, 0.8, 0.3, 1], [0.1, 0.5, 1], [0, 0.5, 0.9], [1], []] as [[Double]])
    func invalid(_ shares: [Double]) {
        #expect(ByteEstimate(shares: shares, bytes: 0..<100, frames: 100).offset(of: 30) == 30)
    }
}
