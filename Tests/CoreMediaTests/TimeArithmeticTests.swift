import CoreMedia
import Testing

@Suite("Arithmetic of times")
struct TimeArithmeticTests {
    static let largest = Int64.max
    static let smallest = Int64.min

    @Test("equal scales are kept, others become their least common multiple, rounding is inherited (R-ARITH-01, GV-40 to GV-42, GV-61 to GV-65)")
    func scales() {
        #expect(Fields(t(1, 2) + t(1, 3)) == Fields(5, 6))
        #expect(Fields(t(5, 6) - t(1, 2)) == Fields(2, 6))
        #expect(Fields(t(1, 2) + t(1, 2)) == Fields(2, 2))
        #expect(Fields(CMTimeAdd(t(1, 44_100), t(1, 48_000))) == Fields(307, 7_056_000))
        #expect(Fields(CMTimeSubtract(t(1, 1000), t(2, 1000))) == Fields(-1, 1000))
        #expect(Fields(Fields(100, 600, f: 3).time + t(1, 600)) == Fields(101, 600, f: 3))
        #expect(Fields(t(1, 600) - Fields(100, 600, f: 3).time) == Fields(-99, 600, f: 3))
        #expect(Fields(.invalid + t(1, 1)) == .invalid)
        #expect(Fields(.invalid + .positiveInfinity) == .invalid)
        #expect(Fields(t(1, 1) - .invalid) == .invalid)
        #expect(Fields(t(1, .max) + t(1, .max)) == Fields(2, .max), "one large scale that both share is kept")
    }

    @Test("a common multiple above 1e9 becomes 1e9 (R-ARITH-02, J-3, GV-54)")
    func cappedScale() {
        #expect(t(500_000_000, 1_000_000_000) + t(300, 600) == t(1, 1))
        #expect(Fields(t(500_000_000, 1_000_000_000) + t(300, 600)) == Fields(1_000_000_000, 1_000_000_000))
        #expect(t(Self.largest, .max) + t(Self.largest - 1, .max - 1) == t(8_589_934_598_000_000_003, 1_000_000_000))
        #expect((t(Self.largest, .max) + t(Self.largest - 1, .max - 1)).hasBeenRounded)
    }

    @Test("overflow halves the scale, and at scale 1 the result is infinity (R-ARITH-03, GV-49 to GV-53)")
    func overflow() {
        #expect(Fields(t(Self.largest, 1) + t(Self.largest, 1)) == .positiveInfinity)
        #expect(Fields(t(Self.smallest, 1) + t(Self.smallest, 1)) == .negativeInfinity)
        #expect(Fields(t(Self.largest, 2) + t(Self.largest, 3)) == Fields(7_686_143_364_045_646_506, 1, f: 3))
        #expect(Fields(t(Self.largest, 2) - t(Self.largest, 3)) == Fields(1_537_228_672_809_129_302, 1, f: 3))
        #expect(Fields(t(Self.largest, 4) + t(Self.largest, 4)) == Fields(4_611_686_018_427_387_904, 1, f: 3))
        #expect(Fields(t(Self.smallest, 1) - t(Self.largest, 1)) == .negativeInfinity)
        #expect(Fields(t(0, 1) - t(Self.smallest, 1)) == .positiveInfinity)
    }

    @Test("infinities override all times but invalid; opposite infinities give invalid (R-ARITH-04, GV-56 to GV-60)")
    func infinities() {
        #expect(Fields(.positiveInfinity + .zero) == .positiveInfinity)
        #expect(Fields(.negativeInfinity + .zero) == .negativeInfinity)
        #expect(Fields(.zero - .positiveInfinity) == .negativeInfinity)
        #expect(Fields(.positiveInfinity + .positiveInfinity) == .positiveInfinity)
        #expect(Fields(.positiveInfinity + .negativeInfinity) == .invalid)
        #expect(Fields(.positiveInfinity - .positiveInfinity) == .invalid)
        #expect(Fields(.positiveInfinity - .negativeInfinity) == .positiveInfinity)
        #expect(Fields(.negativeInfinity - .positiveInfinity) == .negativeInfinity)
        #expect(Fields(.indefinite + .positiveInfinity) == .positiveInfinity)
        #expect(Fields(.indefinite - .positiveInfinity) == .negativeInfinity)
    }

    @Test("indefinite with a finite or indefinite time gives indefinite (R-ARITH-05)")
    func indefinite() {
        #expect(Fields(.indefinite + t(1, 2)) == .indefinite)
        #expect(Fields(t(1, 2) - .indefinite) == .indefinite)
        #expect(Fields(.indefinite - .indefinite) == .indefinite)
    }

    @Test("different epochs give invalid, equal ones give 0, and an epoch of 0 yields to the other (R-ARITH-06, GV-44 to GV-48)")
    func epochs() {
        #expect(Fields(t(1, 1, e: 1) + t(1, 1)) == Fields(2, 1, e: 1))
        #expect(Fields(t(2, 1, e: 3) + t(1, 1)) == Fields(3, 1, e: 3))
        #expect(Fields(t(1, 1) + t(2, 1, e: 3)) == Fields(3, 1, e: 3))
        #expect(Fields(t(2, 1, e: 3) + t(4, 1, e: 3)) == Fields(6, 1))
        #expect(Fields(t(2, 1, e: 3) - t(4, 1, e: 3)) == Fields(-2, 1))
        #expect(Fields(t(2, 1, e: 3) + t(4, 1, e: 4)) == .invalid)
        #expect(Fields(t(2, 1, e: 3) - t(4, 1, e: 4)) == .invalid)
    }

    @Test("multiplication by a whole number keeps the scale (R-ARITH-07, GV-70, GV-72)")
    func products() {
        #expect(Fields(CMTimeMultiply(t(3, 2), multiplier: 4)) == Fields(12, 2))
        #expect(Fields(CMTimeMultiply(t(3, 2, e: 5), multiplier: -4)) == Fields(-12, 2, e: 5))
        #expect(Fields(CMTimeMultiply(t(Self.largest, 1), multiplier: 2)) == .positiveInfinity)
        #expect(Fields(CMTimeMultiply(t(Self.smallest, 1), multiplier: 2)) == .negativeInfinity)
        #expect(Fields(CMTimeMultiply(t(Self.largest, 6), multiplier: 4)) == Fields(6_148_914_691_236_517_205, 1, f: 3))
        #expect(Fields(CMTimeMultiply(.positiveInfinity, multiplier: -3)) == .negativeInfinity)
        #expect(Fields(CMTimeMultiply(.negativeInfinity, multiplier: -3)) == .positiveInfinity)
        #expect(Fields(CMTimeMultiply(.indefinite, multiplier: 3)) == .indefinite)
        #expect(Fields(CMTimeMultiply(.invalid, multiplier: 3)) == .invalid)
    }

    @Test("multiplication by a floating-point number gives the correct value (R-ARITH-08, J-4, GV-73 to GV-76)")
    func floatProducts() {
        #expect(CMTimeMultiplyByFloat64(t(1, 2), multiplier: 4) == t(4, 2))
        #expect(CMTimeMultiplyByFloat64(t(1, 2), multiplier: 5) == t(5, 2))
        #expect(CMTimeMultiplyByFloat64(t(3, 2), multiplier: 2) == t(6, 2))
        #expect(CMTimeMultiplyByFloat64(t(100, 1), multiplier: 0.25) == t(25, 1))
        #expect(!CMTimeMultiplyByFloat64(t(100, 1), multiplier: 0.25).hasBeenRounded)
        #expect(CMTimeMultiplyByFloat64(t(1, 44_100), multiplier: 1) == t(1, 44_100))
        #expect(CMTimeMultiplyByFloat64(t(1, 1), multiplier: 1.0 / 3).hasBeenRounded)
        #expect(CMTimeMultiplyByFloat64(t(-1, 1), multiplier: 1e300).isNegativeInfinity)
        #expect(CMTimeMultiplyByFloat64(t(-1, 1), multiplier: 1e-300) == .zero)
        #expect(CMTimeMultiplyByFloat64(t(-1, 1), multiplier: 1e-300).hasBeenRounded)
        #expect(CMTimeMultiplyByFloat64(t(Self.largest, 1), multiplier: 0.5) == t(Self.largest, 2))
        #expect(CMTimeMultiplyByFloat64(t(Self.smallest, 2), multiplier: 1) == t(Self.smallest, 2))
        #expect(CMTimeMultiplyByFloat64(.positiveInfinity, multiplier: -0.5).isNegativeInfinity)
        #expect(CMTimeMultiplyByFloat64(.indefinite, multiplier: 2).isIndefinite)
        #expect(!CMTimeMultiplyByFloat64(t(1, 1), multiplier: .nan).isValid)
        #expect(CMTimeMultiplyByFloat64(t(1, 1), multiplier: -.infinity).isNegativeInfinity)
    }

    @Test("multiplication by a ratio keeps the exact fraction, unreduced (R-ARITH-09, GV-77 to GV-81)")
    func ratios() {
        #expect(Fields(CMTimeMultiplyByRatio(t(3, 2), multiplier: 1, divisor: 3)) == Fields(3, 6))
        #expect(Fields(CMTimeMultiplyByRatio(t(1, 2), multiplier: 2, divisor: 3)) == Fields(2, 6))
        #expect(Fields(CMTimeMultiplyByRatio(t(1, 2), multiplier: 4, divisor: 6)) == Fields(2, 6))
        #expect(Fields(CMTimeMultiplyByRatio(t(1, 2), multiplier: 2, divisor: -3)) == Fields(-2, 6))
        #expect(Fields(CMTimeMultiplyByRatio(t(3, 2), multiplier: 1, divisor: 0)) == .positiveInfinity)
        #expect(Fields(CMTimeMultiplyByRatio(t(-3, 2), multiplier: 1, divisor: 0)) == .negativeInfinity)
        #expect(Fields(CMTimeMultiplyByRatio(t(0, 1), multiplier: 1, divisor: 0)) == .invalid)
        #expect(Fields(CMTimeMultiplyByRatio(t(3, 2), multiplier: 0, divisor: 0)) == .invalid)
        #expect(CMTimeMultiplyByRatio(t(6, 1_000_000_000), multiplier: 5, divisor: 6) == t(5, 1_000_000_000), "reduced where only that fits")
        #expect(CMTimeMultiplyByRatio(t(1, 1), multiplier: .min, divisor: .min) == t(1, 1))
        #expect(Fields(CMTimeMultiplyByRatio(t(Self.largest, 1), multiplier: 3, divisor: 2)) == .positiveInfinity)
    }

    @Test("the absolute value negates negative times and minus infinity (R-ARITH-10)")
    func absoluteValues() {
        #expect(Fields(CMTimeAbsoluteValue(Fields(-4, 2, f: 3, e: 6).time)) == Fields(4, 2, f: 3, e: 6))
        #expect(Fields(CMTimeAbsoluteValue(t(4, 2))) == Fields(4, 2))
        #expect(Fields(CMTimeAbsoluteValue(.negativeInfinity)) == .positiveInfinity)
        #expect(Fields(CMTimeAbsoluteValue(.indefinite)) == .indefinite)
        #expect(Fields(CMTimeAbsoluteValue(t(Self.smallest, 2))) == Fields(4_611_686_018_427_387_904, 1))
        #expect(Fields(CMTimeAbsoluteValue(t(Self.smallest, 1))) == .positiveInfinity)
    }
}
