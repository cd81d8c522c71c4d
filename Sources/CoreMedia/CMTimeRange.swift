/// A stretch of time: everything from `start` up to, but not including, `start + duration` (R-RANGE-02).
///
/// Source: Apple, "CMTimeRange"; R-RANGE-01 to R-RANGE-10. Every operation is defined for every bit pattern and none traps.
public struct CMTimeRange: Sendable, BitwiseCopyable {
    public var start: CMTime
    /// Not negative, and of epoch 0, in a valid range (R-RANGE-01).
    public var duration: CMTime

    /// An invalid range: every field zero.
    public init() {
        self.init(start: CMTime(), duration: CMTime())
    }

    /// A range with these very parts, sensible or not: ask `isValid`.
    public init(start: CMTime, duration: CMTime) {
        self.start = start
        self.duration = duration
    }

    /// The range from `start` to `end`; invalid where the end comes first or the epochs differ (R-RANGE-05).
    public init(start: CMTime, end: CMTime) {
        let sameEpoch = !start.isNumeric || !end.isNumeric || start.epoch == end.epoch
        let made = CMTimeRange(start: start, duration: end - start)
        self = sameEpoch && made.isValid && !made.duration.isNegativeInfinity ? made : .invalid
    }

    /// An empty range at time zero.
    public static let zero = CMTimeRange(start: .zero, duration: .zero)
    public static let invalid = CMTimeRange(start: .invalid, duration: .invalid)
}

// MARK: - What a range is (R-RANGE-01)

extension CMTimeRange {
    public var isValid: Bool { start.kind != .invalid && duration.kind != .invalid && duration.epoch == 0 && duration.value >= 0 }
    public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
    public var isEmpty: Bool { isValid && duration == .zero }
    /// The first time behind the range: `start + duration`.
    public var end: CMTime { start + duration }

    /// Whether a valid time lies in the range. The end does not (R-RANGE-02), nor does any time of another epoch.
    public func containsTime(_ time: CMTime) -> Bool {
        isValid && time.kind != .invalid && start <= time && time < end
    }

    /// Whether every time of another range lies in this one. An empty range counts as its start, so that one at the end is outside (R-RANGE-05).
    public func containsTimeRange(_ range: CMTimeRange) -> Bool {
        range.isValid && containsTime(range.start) && range.end <= end
    }
}

// MARK: - Combining ranges (R-RANGE-04)

extension CMTimeRange {
    /// The smallest range that covers both, gaps included. Invalid where either is, or where their starts are of different epochs.
    public func union(_ otherRange: CMTimeRange) -> CMTimeRange {
        guard sharesTimeline(with: otherRange) else { return .invalid }
        return CMTimeRange(start: min(start, otherRange.start), end: max(end, otherRange.end))
    }

    /// The largest range that both cover; the zero range where they share nothing (R-RANGE-05). Invalid as for `union`.
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
    /// Ranges are equal where start and duration are, as times.
    public static func == (range1: CMTimeRange, range2: CMTimeRange) -> Bool {
        range1.start == range2.start && range1.duration == range2.duration
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(start)
        hasher.combine(duration)
    }
}

/// Coded as its two times, under the names of the dictionary form.
extension CMTimeRange: Codable {}

extension CMTimeRange: CustomStringConvertible, CustomDebugStringConvertible {
    /// Start and duration: `{{0/1 = 0.000}, {3/2 = 1.500}}`.
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

    /// The range that `dictionary` gave; a missing or broken time is invalid, and with it the range.
    init(dictionary: [String: [String: Int64]]) {
        self.init(start: CMTime(dictionary: dictionary[kCMTimeRangeStartKey]), duration: CMTime(dictionary: dictionary[kCMTimeRangeDurationKey]))
    }
}
