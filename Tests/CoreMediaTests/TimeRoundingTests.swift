import CoreMedia
import Testing

@Suite("Conversion between scales")
struct TimeRoundingTests {
    static let methods: [CMTimeRoundingMethod] = [
        .roundHalfAwayFromZero, .roundTowardZero, .roundAwayFromZero, .roundTowardPositiveInfinity, .roundTowardNegativeInfinity, .quickTime,
    ]

    private func values(_ time: CMTime, at scale: Int32) -> [Int64] { Self.methods.map { time.convertScale(scale, method: $0).value } }

    @Test("the six methods round as their names say, half away from zero by default (R-CONV-01, GV-90, GV-97, GV-98, GV-101)")
    func methodsRound() {
        #expect(
            (1...6).map { CMTimeRoundingMethod(rawValue: $0) } == [
                .roundHalfAwayFromZero, .roundTowardZero, .roundAwayFromZero, .quickTime, .roundTowardPositiveInfinity, .roundTowardNegativeInfinity,
            ])
        #expect(
            CMTimeRoundingMethod(rawValue: 0) == nil && CMTimeRoundingMethod(rawValue: 7) == nil
                && CMTimeRoundingMethod.default == .roundHalfAwayFromZero)
        #expect(values(t(1, 2), at: 1) == [1, 0, 1, 1, 0, 0])
        #expect(values(t(-1, 2), at: 1) == [-1, 0, -1, 0, -1, -1])
        #expect(values(t(2, 3), at: 1) == [1, 0, 1, 1, 0, 0])
        #expect(values(t(-2, 3), at: 1) == [-1, 0, -1, 0, -1, -1])
        #expect(values(t(1, 44_100), at: 48_000) == [1, 1, 2, 2, 1, 2])
        #expect(t(5, 2).convertScale(1, method: .default).value == 3 && t(-5, 2).convertScale(1, method: .default).value == -3)
        #expect(t(1, 3).convertScale(1, method: .default).value == 0)
        #expect(CMTimeConvertScale(t(10, 2), timescale: 1, method: .default) == t(5, 1))
    }

    @Test("QuickTime's method truncates at smaller scales, rounds up at larger ones, and keeps negative times negative (R-CONV-02, GV-92, GV-93)")
    func quickTime() {
        #expect(Fields(t(1, 2).convertScale(3, method: .quickTime)) == Fields(2, 3, f: 3))
        #expect(Fields(t(5, 3).convertScale(2, method: .quickTime)) == Fields(3, 2, f: 3))
        #expect(Fields(t(-1, 600).convertScale(1, method: .quickTime)) == Fields(-1, 1, f: 3))
        #expect(Fields(t(-5, 3).convertScale(1, method: .quickTime)) == Fields(-1, 1, f: 3))
        #expect(Fields(t(0, 600).convertScale(1, method: .quickTime)) == Fields(0, 1))
    }

    @Test("rounding sets the flag; flag and epoch are kept, and non-numeric times are unchanged (R-CONV-03, GV-94, GV-100, GV-102)")
    func flags() {
        for method in Self.methods {
            #expect(Fields(t(44_100, 44_100).convertScale(48_000, method: method)) == Fields(48_000, 48_000))
            #expect(t(1, 3).convertScale(2, method: method).flags == [.valid, .hasBeenRounded])
            #expect(Fields(CMTime.indefinite.convertScale(600, method: method)) == .indefinite)
        }
        #expect(Fields(t(10, 2).convertScale(1, method: .default)) == Fields(5, 1))
        #expect(Fields(Fields(2, 2, f: 3, e: 8).time.convertScale(1, method: .default)) == Fields(1, 1, f: 3, e: 8))
        #expect(CMTime.positiveInfinity.convertScale(600, method: .default).isPositiveInfinity)
        #expect(CMTime.negativeInfinity.convertScale(600, method: .default).isNegativeInfinity)
        #expect(!CMTime.invalid.convertScale(600, method: .default).isValid)
    }

    @Test("a scale that is not positive gives invalid, overflow gives infinity without the rounded flag (R-CONV-04, GV-96)")
    func extremes() {
        #expect(Fields(t(1, 2).convertScale(0, method: .default)) == .invalid)
        #expect(Fields(t(1, 2).convertScale(-1, method: .default)) == .invalid)
        #expect(Fields(Fields(.max, 1, f: 3).time.convertScale(.max, method: .default)) == .positiveInfinity)
        #expect(Fields(t(.min, 1).convertScale(2, method: .default)) == .negativeInfinity)
        #expect(Fields(t(.min, 2).convertScale(1, method: .default)) == Fields(.min / 2, 1))
    }
}
