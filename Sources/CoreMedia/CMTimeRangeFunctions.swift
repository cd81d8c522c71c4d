// The functions of Apple's CMTimeRange.h, under their names in Swift.

/// A range; invalid where the duration has an epoch (R-RANGE-03).
public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange {
    duration.epoch == 0 ? CMTimeRange(start: start, duration: duration) : .invalid
}

/// The range from one time to another; see `CMTimeRange.init(start:end:)` (R-RANGE-05).
public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }

/// The smallest range that covers both (R-RANGE-04).
public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }

/// The largest range that both cover (R-RANGE-04).
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.intersection(otherRange) }

/// Whether starts and durations are equal, as times.
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }

/// Whether a time lies in the range; its end does not (R-RANGE-02).
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }

/// Whether every time of another range lies in the range.
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool { range.containsTimeRange(otherRange) }

/// The first time behind the range.
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }

// MARK: - Times through ranges

/// The time, or the end of the range that is nearer to it (R-RANGE-06).
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime { time.clamped(to: range) }

/// Where a time of one range lies in another: (t − from.start) × to.duration / from.duration + to.start (R-RANGE-07, R-RANGE-08).
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    t.mapped(from: fromRange, to: toRange)
}

/// How long a duration becomes when one range is stretched to another: dur × to.duration / from.duration (R-RANGE-08).
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
    dur.mappedDuration(from: fromRange, to: toRange)
}

/// The time moved into the range by whole durations of it, forward or back (R-RANGE-09).
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime { time.folded(into: foldRange) }

// MARK: - Other forms of ranges

/// Start and duration by name, each as its own dictionary. `allocator` exists for Apple's signature and is ignored.
public func CMTimeRangeCopyAsDictionary(_ range: CMTimeRange, allocator: AnyObject?) -> [String: [String: Int64]]? { range.dictionary }

/// The range that such a dictionary tells; a missing time is an invalid one.
public func CMTimeRangeMakeFromDictionary(_ dictionaryRepresentation: [String: [String: Int64]]) -> CMTimeRange {
    CMTimeRange(dictionary: dictionaryRepresentation)
}

/// The text of `CMTimeRange.description`. `allocator` exists for Apple's signature and is ignored.
public func CMTimeRangeCopyDescription(allocator: AnyObject?, range: CMTimeRange) -> String? { range.description }

/// Prints the description.
public func CMTimeRangeShow(_ range: CMTimeRange) { print(range) }

// MARK: - Mappings (R-RANGE-10)

/// A mapping; invalid where a duration has an epoch.
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
    source.duration.epoch == 0 && target.duration.epoch == 0 ? CMTimeMapping(source: source, target: target) : .invalid
}

/// An empty edit: a mapping with an invalid source. Invalid where the duration has an epoch.
public func CMTimeMappingMakeEmpty(target: CMTimeRange) -> CMTimeMapping {
    target.duration.epoch == 0 ? CMTimeMapping(source: .invalid, target: target) : .invalid
}

/// Source and target by name, each as its own dictionary. `allocator` exists for Apple's signature and is ignored.
public func CMTimeMappingCopyAsDictionary(_ mapping: CMTimeMapping, allocator: AnyObject?) -> [String: [String: [String: Int64]]]? {
    mapping.dictionary
}

/// The mapping that such a dictionary tells; a missing range is an invalid one.
public func CMTimeMappingMakeFromDictionary(_ dictionaryRepresentation: [String: [String: [String: Int64]]]) -> CMTimeMapping {
    CMTimeMapping(dictionary: dictionaryRepresentation)
}

/// The text of `CMTimeMapping.description`. `allocator` exists for Apple's signature and is ignored.
public func CMTimeMappingCopyDescription(allocator: AnyObject?, mapping: CMTimeMapping) -> String? { mapping.description }

/// Prints the description.
public func CMTimeMappingShow(_ mapping: CMTimeMapping) { print(mapping) }
