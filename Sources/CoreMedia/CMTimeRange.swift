/// A range of time: from `start` up to, but not including, `start + duration` (R-RANGE-02).
///
/// Source: Apple, "CMTimeRange"; R-RANGE-01 to R-RANGE-10. Every operation on time ranges is defined for every bit pattern, and no operation traps.
public struct CMTimeRange: Sendable, BitwiseCopyable {
    public var start: CMTime
    /// The duration of the time range. In a valid range the duration is not negative, and its epoch is 0 (R-RANGE-01).
    public var duration: CMTime

    /// Makes an invalid range, in which every field is zero.
    public init() {
        self.init(start: CMTime(), duration: CMTime())
    }

    /// Makes a range with exactly the given start and duration. The start and the duration may make the range invalid (`isValid`).
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// Makes the range from `start` to `end`. The range is invalid if the end is before the start, or if the epochs of both times differ
    /// (R-RANGE-05).
    public init(start: CMTime, end: CMTime) {
        let sameEpoch = !start.isNumeric || !end.isNumeric || start.epoch == end.epoch
        let made = CMTimeRange(start: start, duration: end - start)
        self = sameEpoch && made.isValid && !made.duration.isNegativeInfinity ? made : .invalid
    }

    /// The empty time range at time zero.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}

// MARK: - Properties (R-RANGE-01)

extension CMTimeRange {
    public var isValid: Bool { start.kind != .invalid && duration.kind != .invalid && duration.epoch == 0 && duration.value >= 0 }
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    public var isEmpty: Bool { isValid && duration == .zero }
    /// The end of the range, which is the first time after the range: `start + duration`.
    public var end: CMTime { start + duration }

    /// Returns whether the range contains a time. A range contains neither its own end (R-RANGE-02), nor a time of another epoch, nor an invalid
    /// time.
    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.kind != .invalid && start <= time && time < end
    }

    /// Returns whether the range contains another range. An empty range counts as the time of its start, so an empty range at the end of another
    /// range is not contained in it (R-RANGE-05).
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        range.isValid && containsTime(range.start) && range.end <= end
    }
}

// MARK: - Combining ranges (R-RANGE-04)

extension CMTimeRange {
    /// Returns the smallest range that covers both ranges, including a gap between the two ranges. The union is invalid if either range is invalid,
    /// or if the starts of the ranges have different epochs.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard sharesTimeline(with: otherRange) else { return .invalid }
        return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
    }

    /// Returns the overlap of both ranges; the zero range if they do not overlap (R-RANGE-05). The intersection is invalid in the same cases as the
    /// union.
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
    /// Whether the starts and the durations of two ranges are equal as times.
    public static func == (range1: CMTimeRange, range2: CMTimeRange) -> Bool {
        range1.start == range2.start && range1.duration == range2.duration
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(start)
        hasher.combine(duration)
    }
}

/// A range is coded as its start and duration, under the names of the dictionary form.
extension CMTimeRange: Codable {}

extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
    /// The start and the duration of the range as text: `{{0/1 = 0.000}, {3/2 = 1.500}}`.
    public var description: String { "{\(start), \(duration)}" }
    public var debugDescription: String { description }
}

// MARK: - The dictionary form

/// The key of the start in a range's dictionary form.
public let kCMTimeRangeStartKey = "start"
/// The key of the duration in a range's dictionary form.
public let kCMTimeRangeDurationKey = "duration"

extension CMTimeRange {
    var dictionary: [String: [String: Int64]] {
        [kCMTimeRangeStartKey: start.dictionary, kCMTimeRangeDurationKey: duration.dictionary]
    }

    /// Makes a range from its dictionary form. If the start or the duration is missing or malformed, the range is invalid.
    init(dictionary: [String: [String: Int64]]) {
        self.init(start: CMTime(dictionary: dictionary[kCMTimeRangeStartKey]), duration: CMTime(dictionary: dictionary[kCMTimeRangeDurationKey]))
    }
}
