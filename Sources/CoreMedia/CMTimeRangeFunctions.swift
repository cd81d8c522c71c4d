// The functions of Apple's CMTimeRange.h.

/// The range is invalid if the epoch of the duration is not 0 (R-RANGE-03).
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    duration.epoch == 0 ? CMTimeRange(start: start, duration: duration) : .invalid
}

/// The range is invalid if the end is before the start, or the epochs differ (R-RANGE-05).
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// The result is invalid if a range is invalid, or the epochs of the starts differ (R-RANGE-04).
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }

/// The result is invalid if a range is invalid, or the epochs of the starts differ (R-RANGE-04).
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.intersection(otherRange) }

public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// A range does not contain its own end (R-RANGE-02).
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool { range.containsTimeRange(otherRange) }

public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

// MARK: - Mapping times

/// The time if it is in the range, otherwise the nearer end of the range (R-RANGE-06).
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime { time.clamped(to: range) }

/// Maps a time to the same relative position in another range (R-RANGE-07, R-RANGE-08).
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    t.mapped(from: fromRange, to: toRange)
}

/// Multiplies a duration by `toRange.duration / fromRange.duration` (R-RANGE-08).
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    dur.mappedDuration(from: fromRange, to: toRange)
}

/// Moves a time into the range by whole durations of the range (R-RANGE-09).
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime { time.folded(into: foldRange) }

// MARK: - Other forms of ranges

/// `allocator` is ignored.
public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: AnyObject?) -> [String: [String: Int64]]? { range.dictionary }

/// The range is invalid if an entry is missing or malformed.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: [String: [String: Int64]]) -> CMTimeRange {
    CMTimeRange(dictionary: dictionaryRepresentation)
}

/// `allocator` is ignored.
public func CMTimeRangeCopyDescription(allocator: AnyObject?, range: CMTimeRange) -> String? { range.description }

public func CMTimeRangeShow(_ range: CMTimeRange) { print(range) }

// MARK: - Mappings (R-RANGE-10)

/// The mapping is invalid if the epoch of a duration is not 0.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    source.duration.epoch == 0 && target.duration.epoch == 0 ? CMTimeMapping(source: source, target: target) : .invalid
}

/// An empty edit; invalid if the epoch of the target's duration is not 0.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    target.duration.epoch == 0 ? CMTimeMapping(source: .invalid, target: target) : .invalid
}

/// `allocator` is ignored.
public func CMTimeMappingCopyAsDictionary(_ mapping: CMTimeMapping, allocator: AnyObject?) -> [String: [String: [String: Int64]]]? {
    mapping.dictionary
}

/// A range that is missing or malformed is invalid.
public func CMTimeMappingMakeFromDictionary(_ dictionaryRepresentation: [String: [String: [String: Int64]]]) -> CMTimeMapping {
    CMTimeMapping(dictionary: dictionaryRepresentation)
}

/// `allocator` is ignored.
public func CMTimeMappingCopyDescription(allocator: AnyObject?, mapping: CMTimeMapping) -> String? { mapping.description }

public func CMTimeMappingShow(_ mapping: CMTimeMapping) { print(mapping) }
