import CoreMedia
import Testing

@testable import PlaybackEngine

@Suite("Frames of a time")
struct FrameCountTests {
    @Test("are exact where the scales divide")
    func exact() { #expect(FrameCount.frames(of: CMTime(value: 3, timescale: 2), sampleRate: 44_100) == 66_150) }

    @Test("are rounded to nearest, half away from zero")
    func rounds() {
        #expect(FrameCount.frames(of: CMTime(value: 1, timescale: 88_200), sampleRate: 44_100) == 1)
        #expect(FrameCount.frames(of: CMTime(value: 1, timescale: 96_000), sampleRate: 44_100) == 0)
        #expect(FrameCount.frames(of: CMTime(value: -1, timescale: 88_200), sampleRate: 44_100) == -1)
    }

    @Test("saturate instead of overflowing, whatever the time")
    func saturates() {
        #expect(FrameCount.frames(of: CMTime(value: .max, timescale: 1), sampleRate: 192_000) == .max)
        #expect(FrameCount.frames(of: CMTime(value: .min, timescale: 1), sampleRate: 192_000) == .min)
        #expect(FrameCount.frames(of: CMTime(value: .min, timescale: .max), sampleRate: 1) != nil)
    }

    @Test("do not exist for an invalid time")
    func invalid() { #expect(FrameCount.frames(of: .invalid, sampleRate: 44_100) == nil) }
}
