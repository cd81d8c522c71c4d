import CoreMedia
import Testing

@Suite("Order of times")
struct TimeComparisonTests {
    @Test("times sort as minus infinity, finite, indefinite, plus infinity, invalid (R-CMP-01, GV-112, GV-113)")
    func classes() {
        let sorted = [CMTime.invalid, .positiveInfinity, .zero, .indefinite, .negativeInfinity].sorted()
        #expect(sorted.map(Fields.init) == [.negativeInfinity, Fields(0, 1), .indefinite, .positiveInfinity, .invalid])
        #expect(CMTimeCompare(.positiveInfinity, .positiveInfinity) == 0 && CMTimeCompare(.invalid, .invalid) == 0)
        #expect(CMTimeCompare(.invalid, .positiveInfinity) == 1 && CMTimeCompare(.negativeInfinity, t(.min, 1)) == -1)
        #expect(CMTimeCompare(t(1, 2), t(2, 4)) == 0)
    }

    @Test("the time with the larger epoch is later, whatever the value (R-CMP-02)")
    func epochs() {
        #expect(t(100, 1) < t(1, 1, e: 1))
        #expect(t(100, 1, e: -1) < t(-100, 1))
        #expect(CMTimeCompare(t(1, 1, e: 1), t(1, 1)) == 1)
    }

    @Test("minimum and maximum follow the order (R-CMP-03)")
    func extremes() {
        #expect(Fields(CMTimeMinimum(.invalid, t(1, 2))) == Fields(1, 2))
        #expect(Fields(CMTimeMaximum(t(1, 2), .indefinite)) == .indefinite)
        #expect(Fields(CMTimeMinimum(t(1, 2), t(2, 4))) == Fields(1, 2))
        #expect(Fields(CMTimeMaximum(t(1, 2), t(2, 3))) == Fields(2, 3))
    }

    @Test("a loop up to an unknown duration runs once and ends (R-CMP-04)", arguments: [CMTime.indefinite, .invalid])
    func loop(duration: CMTime) {
        var times: [CMTime] = []
        var time = CMTime.zero
        while time < duration && times.count < 10 {
            time = time + CMTimeMultiplyByFloat64(duration, multiplier: 0.25)
            times.append(time)
        }
        #expect(times.count == 1 && !times[0].isNumeric)
    }

    @Test("comparison is exact although 64-bit products overflow (R-CMP-05, GV-114)")
    func exactness() {
        let nanoseconds = t(3 * 3600 * 1_000_000_000 + 1, 1_000_000_000)
        #expect(nanoseconds > t(3 * 3600 * 1_000_000, 1_000_000))
        #expect(t(.max, 2) > t(.max - 1, 2))
        #expect(t(.max, .max) > t(.max - 1, .max))
        #expect(t(.max, .max - 1) > t(.max, .max))
        #expect(t(.min, 1) < t(.min, 2))
    }
}
