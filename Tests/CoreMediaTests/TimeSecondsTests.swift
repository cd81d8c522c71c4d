import CoreMedia
import Testing

@Suite("Times and seconds")
struct TimeSecondsTests {
    @Test("a scale that is not positive gives invalid; overflow halves the scale, then gives infinity (R-TIME-20, GV-24 to GV-30)")
    func overflow() {
        #expect(Fields(CMTime(seconds: 1, preferredTimescale: 0)) == .invalid)
        #expect(Fields(CMTime(seconds: 1, preferredTimescale: -600)) == .invalid)
        #expect(Fields(CMTime(seconds: 0.5, preferredTimescale: CMTimeScale(NSEC_PER_SEC))) == Fields(500_000_000, 1_000_000_000))
        #expect(Fields(CMTime(seconds: -1.5, preferredTimescale: 2)) == Fields(-3, 2))
        #expect(Fields(CMTime(seconds: 9.3e9, preferredTimescale: 1_000_000_000)) == Fields(4_650_000_000_000_000_000, 500_000_000))
        #expect(Fields(CMTime(seconds: 9.2e9, preferredTimescale: 1_000_000_000)) == Fields(9_200_000_000_000_000_000, 1_000_000_000))
        #expect(Fields(CMTime(seconds: 1e19, preferredTimescale: 600)) == .positiveInfinity)
        #expect(Fields(CMTime(seconds: -1e19, preferredTimescale: 600)) == .negativeInfinity)
        #expect(Fields(CMTime(seconds: -9_223_372_036_854_775_808, preferredTimescale: 1)) == Fields(.min, 1))
    }

    @Test(
        "seconds are truncated, not rounded to nearest (R-TIME-21, GV-10 to GV-21)",
        arguments: [
            (1.25, Int32(4), Fields(5, 4)), (0.5, 1, Fields(0, 1, f: 3)), (1.1, 1, Fields(1, 1, f: 3)), (2.4, 1, Fields(2, 1, f: 3)),
            (7.581, 1, Fields(7, 1, f: 3)),
            (0.082, 24, Fields(1, 24, f: 3)), (2.368, 24, Fields(56, 24, f: 3)), (20, 1, Fields(20, 1)), (0.1, 10, Fields(1, 10)),
            (-0.9, 1, Fields(0, 1, f: 3)),
        ])
    func truncation(seconds: Double, scale: Int32, expected: Fields) {
        #expect(Fields(CMTimeMakeWithSeconds(seconds, preferredTimescale: scale)) == expected)
    }

    @Test("NaN gives a rounded zero, and infinite seconds give infinity (R-TIME-22, J-12, GV-22)")
    func notNumbers() {
        #expect(Fields(CMTime(seconds: .nan, preferredTimescale: 600)) == Fields(0, 600, f: 3))
        #expect(Fields(CMTime(seconds: .infinity, preferredTimescale: 600)) == .positiveInfinity)
        #expect(Fields(CMTime(seconds: -.infinity, preferredTimescale: 600)) == .negativeInfinity)
    }

    @Test("the seconds of a time ignore the epoch, and are NaN for a time without a value (R-TIME-23, GV-32, GV-33, GV-34)")
    func toSeconds() {
        #expect(CMTimeGetSeconds(t(10_000, 600)) == 10_000.0 / 600.0)
        #expect(t(3, 2, e: 9).seconds == 1.5)
        #expect(CMTime.invalid.seconds.isNaN && CMTime.indefinite.seconds.isNaN && t(1, 0).seconds.isNaN)
        #expect(CMTime.positiveInfinity.seconds == .infinity && CMTime.negativeInfinity.seconds == -.infinity)
    }

    @Test("frame counts are exact although seconds are not (R-TIME-24)")
    func frames() {
        #expect(CMTime(seconds: 1.0 / 44_100, preferredTimescale: 48_000) != t(1, 44_100))
        #expect(t(44_101, 44_100) - t(1, 1) == t(1, 44_100))
    }

    @Test("a product just below a whole number stays below it (R-TIME-25)")
    func hairBelow() {
        #expect(Fields(CMTime(seconds: 0.29, preferredTimescale: 100)) == Fields(28, 100, f: 3))
    }
}
