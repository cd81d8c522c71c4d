import CoreMedia
import Foundation
import Testing

@Suite("Representation of times")
struct TimeRepresentationTests {
    @Test("flags have the header's values, and a zeroed time is invalid (R-TIME-01, GV-01, GV-02, GV-04, GV-05)")
    func flags() {
        #expect(
            [CMTimeFlags.valid, .hasBeenRounded, .positiveInfinity, .negativeInfinity, .indefinite, .impliedValueFlagsMask].map(\.rawValue) == [
                1, 2, 4, 8, 16, 28,
            ])
        #expect(Fields(.zero) == Fields(0, 1))
        #expect(Fields(.invalid) == .invalid)
        #expect(Fields(CMTime()) == .invalid)
        #expect(Fields(.positiveInfinity) == .positiveInfinity)
        #expect(Fields(.negativeInfinity) == .negativeInfinity)
        #expect(Fields(.indefinite) == .indefinite)
    }

    @Test("flags apply only with valid, and only finite valid times are numeric (R-TIME-02)")
    func predicates() {
        let all = CMTime(value: 1, timescale: 2, flags: CMTimeFlags(rawValue: 30), epoch: 0)
        #expect(!all.isValid && !all.isPositiveInfinity && !all.isNegativeInfinity && !all.isIndefinite && !all.isNumeric && !all.hasBeenRounded)
        #expect(Fields(1, 2, f: 3).time.isNumeric && Fields(1, 2, f: 3).time.hasBeenRounded)
        #expect(!Fields(1, 2, f: 7).time.hasBeenRounded && !Fields(1, 2, f: 7).time.isNumeric && Fields(1, 2, f: 7).time.isPositiveInfinity)
        #expect(Fields(1, 2, f: 9).time.isNegativeInfinity && Fields(1, 2, f: 17).time.isIndefinite)
    }

    @Test("the largest timescale is 2^31 - 1 (R-TIME-03)")
    func largestTimescale() {
        #expect(kCMTimeMaxTimescale == 0x7fff_ffff)
        #expect(CMTime(value: 1, timescale: .max).isNumeric)
    }

    @Test("a timescale that is not positive makes an invalid time (R-TIME-04, GV-06, GV-08)", arguments: [Int32.min, -1, 0])
    func badTimescale(scale: Int32) {
        #expect(Fields(CMTimeMake(value: 1, timescale: scale)) == .invalid)
        #expect(Fields(CMTimeMakeWithEpoch(value: 1, timescale: scale, epoch: 3)) == .invalid)
        #expect(Fields(CMTimeMake(value: 1, timescale: 2)) == Fields(1, 2))
        #expect(Fields(CMTimeMakeWithEpoch(value: 3, timescale: 4, epoch: 7)) == Fields(3, 4, e: 7))
    }

    @Test("equality compares times and not fields (R-TIME-05, GV-110)")
    func equality() {
        #expect(t(1, 2) == t(2, 4))
        #expect(t(1, 2) != t(1, 3))
        #expect(CMTime.invalid == .invalid)
        #expect(Fields(7, -3, f: 28).time == .invalid)
        #expect(Fields(7, 3, f: 5, e: 9).time == .positiveInfinity)
        #expect(Fields(7, 0, f: 17, e: 9).time == .indefinite)
        #expect(Fields(1, 0, f: 1).time == .invalid, "a numeric time without a scale has no value")
    }

    @Test("equal times hash equally (R-TIME-06, GV-110)")
    func hashing() {
        #expect(Set([t(1, 2), t(2, 4), t(-4, -8), t(500_000_000, 1_000_000_000)]).count == 2)
        #expect(Set([CMTime.invalid, Fields(4, 4, f: 2).time]).count == 1)
        #expect(Set([CMTime.indefinite, Fields(4, 4, f: 17).time]).count == 1)
        #expect(Set([t(0, 1), t(0, 600)]).count == 1)
        #expect(Set([t(Int64.min, 2), t(Int64.min / 2, 1)]).count == 1)
        #expect(Set([t(1, 1), t(1, 1, e: 1), t(-1, 1)]).count == 3)
    }

    @Test("Swift 5 names, labels and units exist (R-TIME-07)")
    func names() {
        #expect(CMTimeMultiplyByFloat64(t(1, 2), multiplier: 2) == t(1, 1))
        #expect(CMTimeScale(NSEC_PER_SEC) == 1_000_000_000)
        #expect(NSEC_PER_SEC / NSEC_PER_MSEC == 1000 && NSEC_PER_MSEC / NSEC_PER_USEC == 1000 && USEC_PER_SEC == 1_000_000)
    }

    @Test("Swift 4 names and calls without labels still work (R-TIME-07)")
    @available(*, deprecated)
    func oldNames() {
        #expect(kCMTimeZero == .zero && kCMTimePositiveInfinity == .positiveInfinity && !kCMTimeInvalid.isValid)
        #expect(CMTimeMultiplyByFloat64(t(100, 1), 0.25) == t(25, 1))
        #expect(CMTimeMake(1, 2) == CMTimeMakeWithSeconds(0.5, 2))
        #expect(CMTimeRangeMake(kCMTimeZero, CMTimeMake(4, 2)).end == t(2, 1))
    }

    @Test("a time takes 24 bytes (R-TIME-08)")
    func layout() {
        #expect(MemoryLayout<CMTime>.size == 24 && MemoryLayout<CMTime>.stride == 24)
        #expect(MemoryLayout<CMTimeRange>.size == 48 && MemoryLayout<CMTimeMapping>.size == 96)
    }

    @Test("the dictionary form has four entries, and a missing or invalid one gives an invalid time (R-TIME-09)")
    func dictionary() throws {
        let time = Fields(9, 30, f: 3, e: 2)
        let dictionary = try #require(CMTimeCopyAsDictionary(time.time, allocator: nil))
        #expect(dictionary == ["value": 9, "timescale": 30, "epoch": 2, "flags": 3])
        #expect(Fields(CMTimeMakeFromDictionary(dictionary)) == time)
        for key in dictionary.keys {
            #expect(Fields(CMTimeMakeFromDictionary(dictionary.filter { $0.key != key })) == .invalid)
        }
        #expect(Fields(CMTimeMakeFromDictionary(nil)) == .invalid)
        #expect(Fields(CMTimeMakeFromDictionary(["value": 9, "timescale": 1 << 31, "epoch": 2, "flags": 3])) == .invalid)
        #expect(Fields(CMTimeMakeFromDictionary(["value": 9, "timescale": 30, "epoch": 2, "flags": -1])) == .invalid)
    }

    @Test("descriptions have Apple's form (R-TIME-10)")
    func descriptions() {
        #expect("\(t(1, 2))" == "{1/2 = 0.500}")
        #expect("\(CMTime.zero)" == "{0/1 = 0.000}")
        #expect("\(CMTime.invalid)" == "{INVALID}")
        #expect("\(t(-1, 600))" == "{-1/600 = -0.002}")
        #expect("\(Fields(7, 1, f: 3).time)" == "{7/1 = 7.000, rounded}")
        #expect("\(t(Int64.min, 1, e: 3))" == "{-9223372036854775808/1 = -9223372036854775808.000, epoch 3}")
        #expect([CMTime.positiveInfinity, .negativeInfinity, .indefinite].map(\.description) == ["{+INFINITY}", "{-INFINITY}", "{INDEFINITE}"])
        #expect("\(range(.zero, t(3, 2)))" == "{{0/1 = 0.000}, {3/2 = 1.500}}")
        #expect(CMTimeCopyDescription(allocator: nil, time: t(1, 2)) == "{1/2 = 0.500}")
    }
}

@Suite("NSValue boxes and coding of times")
struct TimeCodingTests {
    @Test("an NSValue keeps every field, and distinguishes a time from a range")
    func boxes() {
        let time = Fields(Int64.min, Int32.max, f: 3, e: -7).time
        #expect(Fields(NSValue(time: time).timeValue) == Fields(time))
        let span = range(t(1, 3), t(5, 7))
        #expect(NSValue(timeRange: span).timeRangeValue == span)
        #expect(NSValue(timeMapping: CMTimeMapping(source: span, target: .zero)).timeMappingValue == CMTimeMapping(source: span, target: .zero))
        #expect(!NSValue(timeRange: span).timeValue.isValid)
        #expect(!NSValue(time: time).timeRangeValue.isValid)
        #expect(!NSNumber(value: 3).timeValue.isValid)
    }

    @Test("unboxed times and ranges have the properties of boxed ones")
    func unboxed() {
        let range = CMTimeRange(start: CMTime(value: 1, timescale: 2), duration: CMTime(value: 3, timescale: 4))
        #expect([range].first?.timeRangeValue == range && [range.start].first?.timeValue == range.start)
    }

    @Test("boxes are equal if the fields are equal")
    func boxEquality() {
        #expect(NSValue(time: t(1, 2)) == NSValue(time: t(1, 2)))
        #expect(NSValue(time: t(1, 2)) != NSValue(time: t(1, 3)))
    }

    @Test(
        "coding keeps every field",
        arguments: [
            CMTime.zero, .invalid, .indefinite, .positiveInfinity, CMTime(value: .min, timescale: 7, flags: [.valid, .hasBeenRounded], epoch: 4),
        ])
    func coding(time: CMTime) throws {
        let decoded = try JSONDecoder().decode(CMTime.self, from: JSONEncoder().encode(time))
        #expect(Fields(decoded) == Fields(time))
        let mapping = CMTimeMapping(source: range(time, time), target: range(.zero, time))
        #expect(try JSONDecoder().decode(CMTimeMapping.self, from: JSONEncoder().encode(mapping)) == mapping)
    }

    @Test("a time is decoded from value and timescale alone")
    func shortForm() throws {
        #expect(Fields(try JSONDecoder().decode(CMTime.self, from: Data(#"{"value": 3, "timescale": 2}"#.utf8))) == Fields(3, 2))
    }

    @Test(
        "JSON that is not a time is refused",
        arguments: [#"{"value":1}"#, #"{"value":1,"timescale":0}"#, #"{"value":1,"timescale":3000000000}"#, #"{"value":1,"timescale":1,"flags":-1}"#])
    func refusal(json: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(CMTime.self, from: Data(json.utf8)) }
    }
}
