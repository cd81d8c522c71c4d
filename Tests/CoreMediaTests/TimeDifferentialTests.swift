import CoreMedia
import PlaybackTesting
import Testing

/// Compares the arithmetic of times with exact fractions of 128-bit integers, which is independent of the code under test. The fields of the random
/// times are so small that no fraction overflows.
@Suite("Times compared with exact rational arithmetic")
struct TimeDifferentialTests {
    private static let limit = Int128(Int64.max)

    /// Whether `number` can be the value of a time, which has 64 bits.
    private static func fits(_ number: Int128) -> Bool { Int64(exactly: number) != nil }

    private static func gcd(_ a: Int128, _ b: Int128) -> Int128 { b == 0 ? a : gcd(b, a % b) }

    @Test("sums and differences are exact if representable, else rounded at the largest scale that fits (R-ARITH-01, R-ARITH-02, R-ARITH-03)")
    func sums() {
        var random = SeededGenerator(seed: 1)
        var exact = 0
        for _ in 0..<caseCount {
            let (a, b, subtracting) = (random.finiteTime(), random.finiteTime(), random.next() % 2 == 0)
            let result = subtracting ? a - b : a + b
            let (av, as_, bs) = (Int128(a.value), Int128(a.timescale), Int128(b.timescale))
            let bv = subtracting ? -Int128(b.value) : Int128(b.value)
            let (numerator, denominator) = (av * bs + bv * as_, as_ * bs)
            let multiple = as_ / Self.gcd(as_, bs) * bs
            let first = as_ == bs ? as_ : min(multiple, 1_000_000_000)
            if first == multiple, Self.fits(av * (first / as_)), Self.fits(Int128(b.value) * (first / bs)), Self.fits(numerator * first / denominator)
            {
                exact += 1
                verify(Fields(result) == Fields(Int64(numerator * first / denominator), Int32(first)), "\(a) \(subtracting) \(b)")
                continue
            }
            guard result.isNumeric else {
                // The result is infinite. So the exact result must exceed the largest time; one unit less is allowed, because the operands are
                // rounded.
                verify(
                    numerator.magnitude >= ((Self.limit - 1) * denominator).magnitude && result.isNegativeInfinity == (numerator < 0),
                    "\(a) \(subtracting) \(b)")
                continue
            }
            let scale = Int128(result.timescale)
            var halved = first
            while halved > scale { halved /= 2 }
            verify(halved == scale, "\(a) \(subtracting) \(b): a scale that halving does not give")
            let error = Int128(result.value) * denominator - numerator * scale
            verify(error.magnitude <= denominator.magnitude, "\(a) \(subtracting) \(b): more than half a unit for each operand")
            if error != 0 { verify(result.hasBeenRounded) }
            if scale < first {
                let largest = max(av.magnitude * (denominator / as_).magnitude, bv.magnitude * (denominator / bs).magnitude, numerator.magnitude)
                verify(largest / denominator.magnitude >= UInt128(Self.limit / (2 * scale + 2)), "\(a) \(subtracting) \(b): halved without need")
            }
        }
        verify(exact > caseCount / 4, "most cases should test exactness")
    }

    @Test("conversion rounds to the value defined by each method (R-CONV-01, R-CONV-02, R-CONV-04)")
    func conversions() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<caseCount {
            let (time, scale) = (random.finiteTime(), random.scale())
            guard let method = CMTimeRoundingMethod(rawValue: UInt32(random.next() % 6) + 1) else { continue }
            let result = time.convertScale(scale, method: method)
            let (product, divisor) = (Int128(time.value) * Int128(scale), Int128(time.timescale))
            var (floor, rest) = product.quotientAndRemainder(dividingBy: divisor)
            if rest < 0 { (floor, rest) = (floor - 1, rest + divisor) }
            let up: Bool
            switch method {
            case .roundHalfAwayFromZero: up = product < 0 ? 2 * rest > divisor : 2 * rest >= divisor
            case .roundTowardZero: up = product < 0
            case .roundAwayFromZero: up = product > 0
            case .roundTowardPositiveInfinity: up = true
            case .roundTowardNegativeInfinity: up = false
            case .quickTime: up = (product < 0) == (scale < time.timescale)
            @unknown default: up = false
            }
            var expected = rest == 0 ? floor : (up ? floor + 1 : floor)
            if method == .quickTime && product < 0 && expected == 0 { expected = -1 }
            if Self.fits(expected) {
                verify(Fields(result) == Fields(Int64(expected), scale, f: rest == 0 ? 1 : 3), "\(time) to \(scale) by \(method)")
            } else {
                verify(Fields(result) == (expected < 0 ? .negativeInfinity : .positiveInfinity), "\(time) to \(scale) by \(method)")
            }
        }
    }

    @Test("products with whole numbers and ratios are exact if representable (R-ARITH-07, R-ARITH-09)")
    func products() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<caseCount {
            let (time, factor) = (random.finiteTime(), random.anyInt32())
            let product = Int128(time.value) * Int128(factor)
            let whole = CMTimeMultiply(time, multiplier: factor)
            if Self.fits(product) {
                verify(Fields(whole) == Fields(Int64(product), time.timescale), "\(time) × \(factor)")
            } else if whole.isNumeric {
                let error = Int128(whole.value) * Int128(time.timescale) - product * Int128(whole.timescale)
                verify(2 * error.magnitude <= time.timescale.magnitude, "\(time) × \(factor)")
            } else {
                verify(product.magnitude >= ((Self.limit - 1) * Int128(time.timescale)).magnitude && whole.isNegativeInfinity == (product < 0))
            }

            let divisor = random.anyInt32()
            guard divisor != 0 else { continue }
            let ratio = CMTimeMultiplyByRatio(time, multiplier: factor, divisor: divisor)
            let (numerator, denominator) = (divisor < 0 ? -product : product, Int128(time.timescale) * Int128(divisor.magnitude))
            let common = Self.gcd(Int128(numerator.magnitude), denominator)
            if Self.fits(numerator / common), denominator / common <= Int128(Int32.max) {
                verify(
                    Int128(ratio.value) * denominator == numerator * Int128(ratio.timescale) && ratio.isNumeric && !ratio.hasBeenRounded,
                    "\(time) × \(factor)/\(divisor)")
            } else if ratio.isNumeric {
                let error = Int128(ratio.value) * denominator - numerator * Int128(ratio.timescale)
                verify(error.magnitude <= (denominator / 2).magnitude + 1 && ratio.hasBeenRounded, "\(time) × \(factor)/\(divisor)")
            } else {
                verify(numerator.magnitude / denominator.magnitude >= UInt128(Self.limit), "\(time) × \(factor)/\(divisor)")
            }
        }
    }

    @Test("products with floating-point numbers are the nearest values at their scale (R-ARITH-08)")
    func floatProducts() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<caseCount {
            // The time has at most 41 bits, the mantissa 24 and the time scale 31, so that each side of the comparison below fits into 128 bits.
            let time = CMTime(value: random.anyInt64() >> 23, timescale: random.scale())
            let (mantissa, exponent) = (Int128(Int32(truncatingIfNeeded: random.next()) >> 8), Int(random.next() % 30))
            let result = CMTimeMultiplyByFloat64(time, multiplier: Double(mantissa) / Double(1 << exponent))
            let product = Int128(time.value) * mantissa
            guard result.isNumeric else {
                verify(product.magnitude >> exponent >= (Self.limit * Int128(time.timescale)).magnitude - 1)
                continue
            }
            let error = (Int128(result.value) * Int128(time.timescale)) << exponent - product * Int128(result.timescale)
            let half = (Int128(time.timescale) << exponent).magnitude
            verify(2 * error.magnitude <= half && result.hasBeenRounded == (error != 0), "\(time) × \(mantissa) / 2^\(exponent)")
        }
    }

    @Test("order agrees with exact cross products, and equal times hash equally (R-CMP-01, R-CMP-05, R-TIME-06)")
    func order() {
        var random = SeededGenerator(seed: 5)
        for _ in 0..<caseCount {
            let a = random.finiteTime()
            var b = random.finiteTime()
            if random.next() % 2 == 0 {
                let factor = Int32(random.next() % 1000) + 1
                if let value = Int64(exactly: Int128(a.value) * Int128(factor)), let scale = Int32(exactly: Int64(a.timescale) * Int64(factor)) {
                    b = CMTime(value: value, timescale: scale)
                }
            }
            let difference = Int128(a.value) * Int128(b.timescale) - Int128(b.value) * Int128(a.timescale)
            verify(CMTimeCompare(a, b) == Int32(difference.signum()) && CMTimeCompare(b, a) == -Int32(difference.signum()), "\(a) \(b)")
            if difference == 0 { verify(a.hashValue == b.hashValue, "\(a) \(b)") }
        }
    }

    @Test("mapping and folding agree with exact fractions (R-RANGE-07, R-RANGE-08, R-RANGE-09)")
    func mapping() {
        var random = SeededGenerator(seed: 6)
        func small(positive: Bool = false) -> CMTime {
            let value = Int64(random.next() % 2_000_000) + 1 - (positive ? 0 : 1_000_000)
            return CMTime(value: value, timescale: [1, 7, 24, 600, 1000, 4410][Int(random.next() % 6)])
        }
        func fraction(_ time: CMTime) -> (n: Int128, d: Int128) { (Int128(time.value), Int128(time.timescale)) }
        for _ in 0..<caseCount / 4 {
            let (time, from, to) = (small(), range(small(), small(positive: true)), range(small(), small(positive: true)))
            let (t0, f0, fd, t1, td) = (fraction(time), fraction(from.start), fraction(from.duration), fraction(to.start), fraction(to.duration))
            // The exact result is (t − f0) · td / fd + t1. All denominators are at most 2^13, and the values of the durations at most 2^21.
            let offset = (n: t0.n * f0.d - f0.n * t0.d, d: t0.d * f0.d)
            let scaled = (n: offset.n * td.n * fd.d, d: offset.d * td.d * fd.n)
            let exact = (n: scaled.n * t1.d + t1.n * scaled.d, d: scaled.d * t1.d)
            let mapped = CMTimeMapTimeFromRangeToRange(time, fromRange: from, toRange: to)
            let error = Int128(mapped.value) * exact.d - exact.n * Int128(mapped.timescale)
            verify(error.magnitude < exact.d.magnitude && (error == 0 || error.signum() != exact.n.signum()), "\(time) \(from) \(to): toward zero")
            let isLong = exact.n.magnitude / exact.d.magnitude >= 9_223_372_036
            verify(mapped.hasBeenRounded == (error != 0) && (error == 0 || isLong || mapped.timescale == 1_000_000_000), "\(time) \(from) \(to)")

            let folded = CMTimeFoldIntoRange(time, foldRange: from)
            verify(from.containsTime(folded) && !folded.hasBeenRounded, "\(time) \(from)")
            let distance = (n: Int128(folded.value) * t0.d - t0.n * Int128(folded.timescale), d: Int128(folded.timescale) * t0.d)
            verify(distance.n * fd.d % (distance.d * fd.n) == 0, "\(time) \(from): moved by whole durations")

            let length = small()
            let duration = CMTimeMapDurationFromRangeToRange(length, fromRange: from, toRange: to)
            let long = (n: fraction(length).n * td.n * fd.d, d: fraction(length).d * td.d * fd.n)
            let miss = Int128(duration.value) * long.d - long.n * Int128(duration.timescale)
            verify(2 * miss.magnitude <= long.d.magnitude && duration.hasBeenRounded == (miss != 0), "\(length) \(from) \(to): to the nearest")
        }
    }
}

@Suite("Times with arbitrary bits")
struct TimeRobustnessTests {
    /// Whether `time` is a valid result: numeric with a positive scale, or not numeric.
    private func isSound(_ time: CMTime) -> Bool { !time.isNumeric || time.timescale > 0 }

    @Test("no bit pattern traps, and every numeric result has a positive scale (R-TIME-04, R-CMP-01)")
    func anyBits() {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<caseCount / 4 {
            let (a, b, c, d) = (random.anyTime(), random.anyTime(), random.anyTime(), random.anyTime())
            let (whole, other, number) = (random.anyInt32(), random.anyInt32(), random.anyDouble())
            let (one, two) = (range(a, b), range(c, d))
            var results = [
                a + b, a - b, CMTimeMultiply(a, multiplier: whole), CMTimeMultiplyByFloat64(a, multiplier: number),
                CMTimeMultiplyByRatio(a, multiplier: whole, divisor: other), CMTime(seconds: number, preferredTimescale: whole),
                CMTimeMapTimeFromRangeToRange(a, fromRange: one, toRange: two), CMTimeMapDurationFromRangeToRange(a, fromRange: one, toRange: two),
                CMTimeMapTimeFromRangeToRange(c, fromRange: one, toRange: two), CMTimeFoldIntoRange(a, foldRange: two), one.end,
            ]
            for method in TimeRoundingTests.methods { results.append(a.convertScale(whole, method: method)) }
            verify(results.allSatisfy(isSound), "\(Fields(a)) \(Fields(b)) \(Fields(c)) \(Fields(d)) \(whole) \(other) \(number)")
            let ranges = [one.union(two), one.intersection(two), CMTimeRange(start: a, end: b), CMTimeRangeMake(start: a, duration: b)]
            verify(ranges.allSatisfy { !$0.isValid || $0.duration.value >= 0 })
            verify(!one.containsTimeRange(two) || one.containsTime(two.start))
            // The order of times is total, and equal times have equal hashes.
            verify(a == a && a.hashValue == a.hashValue && CMTimeCompare(a, b) == -CMTimeCompare(b, a))
            if a <= b && b <= c { verify(a <= c) }
            verify(CMTimeMinimum(a, b) <= CMTimeMaximum(a, b))
            _ = (CMTimeAbsoluteValue(a), a.seconds, a.description, CMTimeClampToRange(a, range: two), one.description, one.hashValue)
        }
    }

    @Test("every operation accepts every pair of extreme fields (R-TIME-04)")
    func extremes() {
        let values: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        let scales: [Int32] = [.min, -1, 0, 1, 2, 999_999_937, 1_000_000_000, .max - 1, .max]
        let times = values.flatMap { value in scales.map { CMTime(value: value, timescale: $0, flags: .valid, epoch: 0) } }
        for a in times {
            for b in times {
                let span = range(b, b)
                let results = [
                    a + b, a - b, a.convertScale(b.timescale, method: .default), CMTimeMultiply(a, multiplier: b.timescale),
                    CMTimeFoldIntoRange(a, foldRange: span),
                    CMTimeMultiplyByRatio(a, multiplier: b.timescale, divisor: a.timescale), CMTimeMultiplyByFloat64(a, multiplier: b.seconds),
                    CMTimeMapTimeFromRangeToRange(a, fromRange: span, toRange: range(a, b)),
                    CMTimeMapDurationFromRangeToRange(a, fromRange: span, toRange: range(a, b)),
                ]
                verify(results.allSatisfy(isSound), "\(Fields(a)) \(Fields(b))")
            }
        }
    }
}
