import CoreMedia
import Testing

@Suite("Ranges of time")
struct TimeRangeTests {
    @Test("predicates classify valid, empty and indefinite ranges (R-RANGE-01, GV-124)")
    func predicates() {
        #expect(range(.zero, t(1, 1)).isValid && CMTimeRange.zero.isValid)
        #expect(!range(.zero, t(-1, 1)).isValid && !range(.zero, t(1, 1, e: 1)).isValid)
        #expect(!CMTimeRange().isValid && !CMTimeRange.invalid.isValid && !range(.invalid, t(1, 1)).isValid)
        #expect(CMTimeRange.zero.isEmpty && !range(.zero, t(1, 1)).isEmpty && !CMTimeRange.invalid.isEmpty)
        #expect(range(.indefinite, t(1, 1)).isIndefinite && range(.zero, .indefinite).isIndefinite && !range(.zero, .positiveInfinity).isIndefinite)
    }

    @Test("a range does not contain its end (R-RANGE-02, GV-120, GV-121)")
    func halfOpen() {
        #expect(range(t(1, 2), t(3, 2)).end == t(2, 1))
        let span = range(t(1, 1), t(3, 1))
        #expect([t(0, 1), t(1, 1), t(3, 1), t(4, 1)].map(span.containsTime) == [false, true, true, false])
        #expect(!CMTimeRangeContainsTime(span, time: CMTimeRangeGetEnd(span)))
        #expect(!span.containsTime(.invalid) && !span.containsTime(t(2, 1, e: 1)))
        #expect(range(.zero, .positiveInfinity).containsTime(t(.max, 1)))
    }

    @Test("a duration with an epoch makes an invalid range (R-RANGE-03)")
    func make() {
        #expect(!CMTimeRangeMake(start: t(1, 1, e: 4), duration: t(1, 1, e: 4)).isValid)
        #expect(CMTimeRangeMake(start: t(1, 1, e: 4), duration: t(1, 1)).end == t(2, 1, e: 4))
    }

    @Test("a union covers both ranges and the gap, an intersection the common part, within one epoch (R-RANGE-04, GV-122)")
    func combining() {
        let (a, b) = (range(.zero, t(2, 1)), range(t(1, 1), t(3, 1)))
        #expect(a.union(b) == range(.zero, t(4, 1)))
        #expect(CMTimeRangeGetUnion(a, otherRange: range(t(5, 1), t(1, 1))) == range(.zero, t(6, 1)))
        #expect(CMTimeRangeGetIntersection(a, otherRange: b) == range(t(1, 1), t(1, 1)))
        #expect(!a.union(range(t(1, 1, e: 1), t(1, 1))).isValid && !a.intersection(range(t(1, 1, e: 1), t(1, 1))).isValid)
        #expect(range(t(1, 1, e: 2), t(2, 1)).intersection(range(t(2, 1, e: 2), t(9, 1))) == range(t(2, 1, e: 2), t(1, 1)))
        #expect(a.union(range(t(1, 1), .positiveInfinity)) == range(.zero, .positiveInfinity))
        #expect(!a.union(.invalid).isValid)
    }

    @Test("disjoint ranges intersect in zero, reversed ones are invalid, and an empty one at the end is not contained (R-RANGE-05)")
    func corners() {
        let span = range(.zero, t(2, 1))
        #expect(span.intersection(range(t(5, 1), t(1, 1))) == .zero)
        #expect(!CMTimeRange(start: t(5, 1), end: t(2, 1)).isValid)
        #expect(!CMTimeRangeFromTimeToTime(start: t(2, 1), end: t(5, 1, e: 1)).isValid)
        #expect(!CMTimeRange(start: .zero, end: .negativeInfinity).isValid)
        #expect(CMTimeRange(start: t(2, 1), end: t(5, 1)) == range(t(2, 1), t(3, 1)))
        #expect(!span.containsTimeRange(range(span.end, .zero)))
        #expect(span.containsTimeRange(range(t(1, 1), t(1, 1))) && !span.containsTimeRange(range(t(1, 1), t(2, 1))))
        #expect(!CMTimeRange.zero.containsTimeRange(.zero))
    }

    @Test("clamping gives the nearest time of the range, and invalid for an empty range or an invalid time (R-RANGE-06, GV-125, GV-126)")
    func clamping() {
        let span = range(t(1, 1), t(9, 1))
        #expect(CMTimeClampToRange(t(15, 1), range: span) == t(10, 1))
        #expect(CMTimeClampToRange(t(0, 1), range: span) == t(1, 1))
        #expect(Fields(CMTimeClampToRange(t(4, 2), range: span)) == Fields(4, 2))
        #expect(!CMTimeClampToRange(t(1, 1), range: .zero).isValid && !CMTimeClampToRange(.invalid, range: span).isValid)
    }

    @Test("equal ranges hash equally")
    func hashing() {
        #expect(Set([range(t(1, 2), t(2, 2)), range(t(2, 4), t(1, 1))]).count == 1)
        #expect(CMTimeRangeEqual(range(t(1, 2), t(2, 2)), range(t(2, 4), t(1, 1))) && range(.zero, t(1, 1)) != .zero)
    }

    @Test("dictionary forms restore ranges and mappings, and incomplete ones give invalid (R-TIME-09)")
    func dictionaries() throws {
        let span = range(t(1, 3), t(2, 5))
        #expect(CMTimeRangeMakeFromDictionary(try #require(CMTimeRangeCopyAsDictionary(span, allocator: nil))) == span)
        #expect(!CMTimeRangeMakeFromDictionary([:]).isValid)
        let mapping = CMTimeMapping(source: span, target: range(.zero, t(1, 1)))
        #expect(CMTimeMappingMakeFromDictionary(try #require(CMTimeMappingCopyAsDictionary(mapping, allocator: nil))) == mapping)
    }
}

@Suite("Mapping of times between ranges")
struct TimeMappingTests {
    private let source = range(t(1, 7), t(2, 5))
    private let target = range(t(3, 13), t(7, 11))

    @Test("mapping is linear and maps ends to ends; infinite durations only shift (R-RANGE-07, GV-128, GV-136, GV-137)")
    func mapping() {
        let (from, to) = (range(t(1, 1), t(2, 1)), range(t(10, 1), t(4, 1)))
        #expect(CMTimeMapTimeFromRangeToRange(t(2, 1), fromRange: from, toRange: to) == t(12, 1))
        #expect(CMTimeMapTimeFromRangeToRange(t(1, 1), fromRange: from, toRange: to) == t(10, 1))
        #expect(CMTimeMapTimeFromRangeToRange(t(3, 1), fromRange: from, toRange: to) == t(14, 1))
        #expect(CMTimeMapTimeFromRangeToRange(t(0, 1), fromRange: from, toRange: to) == t(8, 1))
        #expect(CMTimeMapTimeFromRangeToRange(source.end, fromRange: source, toRange: target) == target.end)
        #expect(
            CMTimeMapTimeFromRangeToRange(t(5, 1), fromRange: range(t(1, 1), .positiveInfinity), toRange: range(t(10, 1), .positiveInfinity))
                == t(14, 1))
        #expect(!CMTimeMapTimeFromRangeToRange(t(5, 1), fromRange: from, toRange: range(t(10, 1), .positiveInfinity)).isValid)
        #expect(!CMTimeMapTimeFromRangeToRange(t(2, 1), fromRange: .zero, toRange: to).isValid)
        #expect(!CMTimeMapTimeFromRangeToRange(t(2, 1, e: 1), fromRange: from, toRange: to).isValid)
        #expect(
            CMTimeMapTimeFromRangeToRange(t(2, 1, e: 1), fromRange: range(t(1, 1, e: 1), t(2, 1)), toRange: range(t(10, 1, e: 2), t(4, 1)))
                == t(12, 1, e: 2))
    }

    @Test("inexact results have scale 1e9; durations are rounded, times truncated (R-RANGE-08, GV-129, GV-130)")
    func inexact() {
        #expect(Fields(CMTimeMapDurationFromRangeToRange(t(1, 3), fromRange: source, toRange: target)) == Fields(530_303_030, 1_000_000_000, f: 3))
        #expect(Fields(CMTimeMapDurationFromRangeToRange(t(2, 3), fromRange: source, toRange: target)) == Fields(1_060_606_061, 1_000_000_000, f: 3))
        #expect(Fields(CMTimeMapTimeFromRangeToRange(t(12, 7), fromRange: source, toRange: target)) == Fields(2_730_769_230, 1_000_000_000, f: 3))
        let before = CMTimeMapTimeFromRangeToRange(t(-12, 7), fromRange: source, toRange: target)
        #expect(Fields(before) == Fields(-2_723_776_223, 1_000_000_000, f: 3), "−13/7 · 35/22 + 3/13 = −2.72377622377…, toward zero")
        #expect(!CMTimeMapDurationFromRangeToRange(t(1, 3, e: 1), fromRange: source, toRange: target).isValid)
    }

    @Test("folding moves a time into the range from either side, exactly (R-RANGE-09, GV-132, GV-133, GV-134)")
    func folding() {
        let span = range(t(1, 3), t(2, 5))
        #expect(Fields(CMTimeFoldIntoRange(t(0, 1), foldRange: span)) == Fields(6, 15))
        #expect(CMTimeFoldIntoRange(t(1, 2), foldRange: span) == t(1, 2))
        #expect(Fields(CMTimeFoldIntoRange(t(1, 2), foldRange: span)) == Fields(15, 30))
        #expect(Fields(CMTimeFoldIntoRange(t(7, 3), foldRange: span)) == Fields(1, 3))
        #expect(CMTimeFoldIntoRange(t(25, 1), foldRange: range(.zero, t(10, 1))) == t(5, 1))
        #expect(Fields(CMTimeFoldIntoRange(t(-7, 11), foldRange: span)) == Fields(93, 165))
        #expect(!CMTimeFoldIntoRange(.invalid, foldRange: span).isValid && !CMTimeFoldIntoRange(t(1, 1), foldRange: .zero).isValid)
        #expect(!CMTimeFoldIntoRange(t(1, 1, e: 1), foldRange: span).isValid && !CMTimeFoldIntoRange(.positiveInfinity, foldRange: span).isValid)
    }

    @Test("a mapping is valid if its ranges are valid, and a valid mapping without a source is empty (R-RANGE-10, GV-138)")
    func mappings() {
        let mapping = CMTimeMappingMake(source: source, target: target)
        #expect(mapping.isValid && !mapping.isEmpty)
        #expect(CMTimeMappingMakeEmpty(target: target).isValid && CMTimeMappingMakeEmpty(target: target).isEmpty)
        #expect(!CMTimeMappingMake(source: range(.zero, t(1, 1, e: 1)), target: target).isValid)
        #expect(!CMTimeMappingMakeEmpty(target: range(.zero, t(1, 1, e: 1))).isValid)
        #expect(!CMTimeMappingMakeFromDictionary([:]).isValid && !CMTimeMapping.invalid.isValid && !CMTimeMapping().isValid)
        #expect(!CMTimeMapping(source: source, target: .invalid).isValid)
    }
}
