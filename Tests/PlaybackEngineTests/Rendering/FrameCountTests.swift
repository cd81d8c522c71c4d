import CoreMedia
import Testing

@testable import PlaybackEngine

@Suite("Conversion of times to frames")
struct FrameCountTests {
    @Test("frames are exact if the timescale divides the sample rate")
    func exact() { #expect(FrameCount.frames(of: CMTime(value: 3, timescale: 2), sampleRate: 44_100) == 66_150) }

    @Test("frames are rounded to nearest, half away from zero")
    func rounds() {
        #expect(FrameCount.frames(of: CMTime(value: 1, timescale: 88_200), sampleRate: 44_100) == 1)
        #expect(FrameCount.frames(of: CMTime(value: 1, timescale: 96_000), sampleRate: 44_100) == 0)
        #expect(FrameCount.frames(of: CMTime(value: -1, timescale: 88_200), sampleRate: 44_100) == -1)
    }

    @Test("frames saturate instead of overflowing")
    func saturates() {
        #expect(FrameCount.frames(of: CMTime(value: .max, timescale: 1), sampleRate: 192_000) == .max)
        #expect(FrameCount.frames(of: CMTime(value: .min, timescale: 1), sampleRate: 192_000) == .min)
        #expect(FrameCount.frames(of: CMTime(value: .min, timescale: .max), sampleRate: 1) != nil)
    }

    @Test("an invalid time has no frames")
    func invalid() { #expect(FrameCount.frames(of: .invalid, sampleRate: 44_100) == nil) }

    @Test("a media position that no output frame reaches is mapped to the last frame", arguments: [1e-300, 1.0, 32])
    func farPosition(rate: Double) {
        let segment = Timeline.Segment(start: 100, item: ItemID(rawValue: 1), mediaStart: 0, rate: rate)
        #expect(segment.outputFrame(ofMedia: 1e300) == .max)
        #expect(segment.outputFrame(ofMedia: -1) == nil)
    }
}
