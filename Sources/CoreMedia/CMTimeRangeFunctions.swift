// The functions of Apple's CMTimeRange.h, under their names in Swift.

/// Makes a range from its start and duration. The range is invalid if the epoch of the duration is not 0 (R-RANGE-03).
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    duration.epoch == 0 ? CMTimeRange(start: start, duration: duration) : .invalid
}

/// Makes the range between two times; see `CMTimeRange.init(start:end:)` (R-RANGE-05).
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// Returns the smallest range that covers both ranges (R-RANGE-04).
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }

/// Returns the overlap of two ranges (R-RANGE-04).
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.intersection(otherRange) }

/// Returns whether the starts and the durations of two ranges are equal as times.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// Returns whether a range contains a time. A range does not contain its own end (R-RANGE-02).
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Returns whether a time range contains another time range.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool { range.containsTimeRange(otherRange) }

/// Returns the first time after a range, `start + duration`.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

// MARK: - Mapping times

/// Returns the time itself if it is in the range, otherwise the nearer end of the range (R-RANGE-06).
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime { time.clamped(to: range) }

/// Maps a time linearly from one range to another: (t − from.start) × to.duration / from.duration + to.start (R-RANGE-07, R-RANGE-08).
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    t.mapped(from: fromRange, to: toRange)
}

/// Scales a duration as one range is stretched to another: dur × to.duration / from.duration (R-RANGE-08).
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    dur.mappedDuration(from: fromRange, to: toRange)
}

/// Moves a time into a range by whole durations of the range, forwards or backwards (R-RANGE-09).
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime { time.folded(into: foldRange) }

// MARK: - Other forms of ranges

/// Returns the start and the duration of a range by name, each as its own dictionary. The parameter `allocator` exists for Apple's signature and is
/// ignored.
public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: AnyObject?) -> [String: [String: Int64]]? { range.dictionary }

/// Makes a range from its dictionary form. The range is invalid if the start or the duration is missing.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: [String: [String: Int64]]) -> CMTimeRange {
    CMTimeRange(dictionary: dictionaryRepresentation)
}

/// Returns the description of a time range (`CMTimeRange.description`). The parameter `allocator` exists for Apple's signature and is ignored.
public func CMTimeRangeCopyDescription(allocator: AnyObject?, range: CMTimeRange) -> String? { range.description }

/// Prints the description of a range.
public func CMTimeRangeShow(_ range: CMTimeRange) { print(range) }

// MARK: - Mappings (R-RANGE-10)

/// Makes a mapping between two time ranges. The mapping is invalid if the epoch of a duration is not 0.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    source.duration.epoch == 0 && target.duration.epoch == 0 ? CMTimeMapping(source: source, target: target) : .invalid
}

/// Makes an empty edit: a mapping with an invalid source. The mapping is invalid if the epoch of the target's duration is not 0.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    target.duration.epoch == 0 ? CMTimeMapping(source: .invalid, target: target) : .invalid
}

/// Returns the source and the target of a mapping by name, each as its own dictionary. The parameter `allocator` exists for Apple's signature and is
/// ignored.
public func CMTimeMappingCopyAsDictionary(_ mapping: CMTimeMapping, allocator: AnyObject?) -> [String: [String: [String: Int64]]]? {
    mapping.dictionary
}

/// Makes a mapping from its dictionary form. If a range is missing in the dictionary, it becomes an invalid range.
public func CMTimeMappingMakeFromDictionary(_ dictionaryRepresentation: [String: [String: [String: Int64]]]) -> CMTimeMapping {
    CMTimeMapping(dictionary: dictionaryRepresentation)
}

/// Returns the description of a mapping (`CMTimeMapping.description`). The parameter `allocator` exists for Apple's signature and is ignored.
public func CMTimeMappingCopyDescription(allocator: AnyObject?, mapping: CMTimeMapping) -> String? { mapping.description }

/// Prints the description of a mapping.
public func CMTimeMappingShow(_ mapping: CMTimeMapping) { print(mapping) }
