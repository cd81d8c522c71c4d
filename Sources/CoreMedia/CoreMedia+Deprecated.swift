// The names of Core Media's constants in Swift 4 and earlier, for code that uses the old names (R-TIME-07).

@available(*, deprecated, renamed: "CMTime.zero")
public let kCMTimeZero = CMTime.zero
@available(*, deprecated, renamed: "CMTime.invalid")
public let kCMTimeInvalid = CMTime.invalid
@available(*, deprecated, renamed: "CMTime.indefinite")
public let kCMTimeIndefinite = CMTime.indefinite
@available(*, deprecated, renamed: "CMTime.positiveInfinity")
public let kCMTimePositiveInfinity = CMTime.positiveInfinity
@available(*, deprecated, renamed: "CMTime.negativeInfinity")
public let kCMTimeNegativeInfinity = CMTime.negativeInfinity
@available(*, deprecated, renamed: "CMTimeRange.zero")
public let kCMTimeRangeZero = CMTimeRange.zero
@available(*, deprecated, renamed: "CMTimeRange.invalid")
public let kCMTimeRangeInvalid = CMTimeRange.invalid
@available(*, deprecated, renamed: "CMTimeMapping.invalid")
public let kCMTimeMappingInvalid = CMTimeMapping.invalid

@available(*, deprecated, renamed: "CMTimeMake(value:timescale:)")
public func CMTimeMake(_ value: Int64, _ timescale: Int32) -> CMTime { CMTimeMake(value: value, timescale: timescale) }

@available(*, deprecated, renamed: "CMTimeMakeWithEpoch(value:timescale:epoch:)")
public func CMTimeMakeWithEpoch(_ value: Int64, _ timescale: Int32, _ epoch: Int64) -> CMTime {
    CMTimeMakeWithEpoch(value: value, timescale: timescale, epoch: epoch)
}

@available(*, deprecated, renamed: "CMTimeMakeWithSeconds(_:preferredTimescale:)")
public func CMTimeMakeWithSeconds(_ seconds: Float64, _ preferredTimescale: Int32) -> CMTime {
    CMTimeMakeWithSeconds(seconds, preferredTimescale: preferredTimescale)
}

@available(*, deprecated, renamed: "CMTimeConvertScale(_:timescale:method:)")
public func CMTimeConvertScale(_ time: CMTime, _ newTimescale: Int32, _ method: CMTimeRoundingMethod) -> CMTime {
    CMTimeConvertScale(time, timescale: newTimescale, method: method)
}

@available(*, deprecated, renamed: "CMTimeMultiply(_:multiplier:)")
public func CMTimeMultiply(_ time: CMTime, _ multiplier: Int32) -> CMTime { CMTimeMultiply(time, multiplier: multiplier) }

@available(*, deprecated, renamed: "CMTimeMultiplyByFloat64(_:multiplier:)")
public func CMTimeMultiplyByFloat64(_ time: CMTime, _ multiplier: Float64) -> CMTime { CMTimeMultiplyByFloat64(time, multiplier: multiplier) }

@available(*, deprecated, renamed: "CMTimeMultiplyByRatio(_:multiplier:divisor:)")
public func CMTimeMultiplyByRatio(_ time: CMTime, _ multiplier: Int32, _ divisor: Int32) -> CMTime {
    CMTimeMultiplyByRatio(time, multiplier: multiplier, divisor: divisor)
}

@available(*, deprecated, renamed: "CMTimeRangeMake(start:duration:)")
public func CMTimeRangeMake(_ start: CMTime, _ duration: CMTime) -> CMTimeRange { CMTimeRangeMake(start: start, duration: duration) }

@available(*, deprecated, renamed: "CMTimeRangeFromTimeToTime(start:end:)")
public func CMTimeRangeFromTimeToTime(_ start: CMTime, _ end: CMTime) -> CMTimeRange { CMTimeRangeFromTimeToTime(start: start, end: end) }

@available(*, deprecated, renamed: "CMTimeRangeGetUnion(_:otherRange:)")
public func CMTimeRangeGetUnion(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }

@available(*, deprecated, renamed: "CMTimeRangeGetIntersection(_:otherRange:)")
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> CMTimeRange { range.intersection(otherRange) }

@available(*, deprecated, renamed: "CMTimeRangeContainsTime(_:time:)")
public func CMTimeRangeContainsTime(_ range: CMTimeRange, _ time: CMTime) -> Bool { range.containsTime(time) }

@available(*, deprecated, renamed: "CMTimeRangeContainsTimeRange(_:otherRange:)")
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, _ otherRange: CMTimeRange) -> Bool { range.containsTimeRange(otherRange) }

@available(*, deprecated, renamed: "CMTimeClampToRange(_:range:)")
public func CMTimeClampToRange(_ time: CMTime, _ range: CMTimeRange) -> CMTime { time.clamped(to: range) }

@available(*, deprecated, renamed: "CMTimeMapTimeFromRangeToRange(_:fromRange:toRange:)")
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, _ fromRange: CMTimeRange, _ toRange: CMTimeRange) -> CMTime {
    t.mapped(from: fromRange, to: toRange)
}

@available(*, deprecated, renamed: "CMTimeMapDurationFromRangeToRange(_:fromRange:toRange:)")
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, _ fromRange: CMTimeRange, _ toRange: CMTimeRange) -> CMTime {
    dur.mappedDuration(from: fromRange, to: toRange)
}

@available(*, deprecated, renamed: "CMTimeFoldIntoRange(_:foldRange:)")
public func CMTimeFoldIntoRange(_ time: CMTime, _ foldRange: CMTimeRange) -> CMTime { time.folded(into: foldRange) }
