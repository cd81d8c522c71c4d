/// A range of time: from `start` up to, but not including, `start + duration` (R-RANGE-02).
///
/// Source: Apple, "CMTimeRange"; R-RANGE-01 to R-RANGE-10. Every operation on time ranges is defined for every bit pattern, and no operation traps.
public struct CMTimeRange: Sendable, BitwiseCopyable {
    public var start: CMTime
    /// The duration is not negative, and has epoch 0, in a valid range (R-RANGE-01).
    public var duration: CMTime

    /// An invalid range: every field is zero.
    public init() {
        self.init(start: CMTime(), duration: CMTime())
    }

    /// Start and duration may be invalid.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// The range is invalid if the end is before the start, or the epochs differ (R-RANGE-05).
    public init(start: CMTime, end: CMTime) {
        let sameEpoch = !start.isNumeric || !end.isNumeric || start.epoch == end.epoch
        let made = CMTimeRange(start: start, duration: end - start)
        self = sameEpoch && made.isValid && !made.duration.isNegativeInfinity ? made : .invalid
    }

    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}

// MARK: - Properties (R-RANGE-01)

extension CMTimeRange {
    public var isValid: Bool { start.kind != .invalid && duration.kind != .invalid && duration.epoch == 0 && duration.value >= 0 }
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    public var isEmpty: Bool { isValid && duration == .zero }
    /// The first time after the range.
    public var end: CMTime { start + duration }

    /// A range contains neither its own end (R-RANGE-02), nor a time of another epoch, nor an invalid one.
    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.kind != .invalid && start <= time && time < end
    }

    /// An empty range is contained if its start is, so a range does not contain an empty range at its own end (R-RANGE-05).
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        range.isValid && containsTime(range.start) && range.end <= end
    }
}

// MARK: - Combining ranges (R-RANGE-04)

extension CMTimeRange {
    /// The union includes a gap between the ranges. It is invalid if either range is invalid, or the epochs of the starts differ.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard sharesTimeline(with: otherRange) else { return .invalid }
        return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
    }

    /// The zero range if the ranges do not overlap (R-RANGE-05); invalid in the same cases as the union.
    public func intersection(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard sharesTimeline(with: otherRange) else { return .invalid }
        let (from, to) = (max(start, otherRange.start), min(end, otherRange.end))
        return from < to ? CMTimeRange(start: from, end: to) : .zero
    }

    private func sharesTimeline(with other: CMTimeRange) -> Bool {
        isValid && other.isValid && start.epoch == other.start.epoch
    }
}

extension CMTimeRange: Hashable {
    public static func == (range1: CMTimeRange, range2: CMTimeRange) -> Bool {
        range1.start == range2.start && range1.duration == range2.duration
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(start)
        hasher.combine(duration)
    }
}

/// A range is encoded as its start and duration, by name.
extension CMTimeRange: Codable {}

extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
    /// Such as `{{0/1 = 0.000}, {3/2 = 1.500}}`.
    public var description: String { "{\(start), \(duration)}" }
    public var debugDescription: String { description }
}

// MARK: - The dictionary form

public let kCMTimeRangeStartKey = "start"
public let kCMTimeRangeDurationKey = "duration"

extension CMTimeRange {
    var dictionary: [String: [String: Int64]] {
        [kCMTimeRangeStartKey: start.dictionary, kCMTimeRangeDurationKey: duration.dictionary]
    }

    /// An entry that is missing or malformed is invalid, and makes the range invalid.
    init(dictionary: [String: [String: Int64]]) {
        self.init(start: CMTime(dictionary: dictionary[kCMTimeRangeStartKey]), duration: CMTime(dictionary: dictionary[kCMTimeRangeDurationKey]))
    }
}
