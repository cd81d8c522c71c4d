// The functions of Apple's CMTime.h. Each calls an initializer, an operator or a method of `CMTime`.

public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// Invalid if the timescale is not positive (R-TIME-04).
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch) : .invalid
}

/// The time is truncated to the timescale (R-TIME-20 to R-TIME-22).
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// The time in seconds; ±∞ for infinite times, NaN for indefinite and invalid ones (R-TIME-23).
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// Converts the time to another timescale, rounded by `method` if necessary (R-CONV-01 to R-CONV-04).
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

// MARK: - Arithmetic

/// The result is exact if a `CMTime` can represent it (R-ARITH-01 to R-ARITH-06).
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// The result is exact if a `CMTime` can represent it (R-ARITH-01 to R-ARITH-06).
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// The product keeps the timescale, halved while the value overflows, or is ±∞ (R-ARITH-07). 0 × ∞ is invalid.
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime { time.multiplied(by: multiplier) }

/// The exact product, rounded once; compare products by value, not by fields (R-ARITH-08). NaN and 0 × ∞ are invalid.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime { time.multiplied(by: multiplier) }

/// The product is exact if possible. A divisor of 0 gives ±∞, or invalid for 0 / 0 (R-ARITH-09).
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime { time.multiplied(by: multiplier, over: divisor) }

/// The time without its sign (R-ARITH-10).
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.absoluteValue }

// MARK: - Order

/// Returns −1, 0 or 1: −∞ < every finite time < indefinite < +∞ < invalid; a larger epoch is later (R-CMP-01, R-CMP-02).
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compared(to: time2) }

/// The earlier time; of a valid and an invalid time, the valid one (R-CMP-03).
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 < time1 ? time2 : time1 }

/// The later time; an invalid time is later than all others (R-CMP-03).
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 > time1 ? time2 : time1 }

// MARK: - Other forms

/// The dictionary form (R-TIME-09); `allocator` is ignored.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: AnyObject?) -> [String: Int64]? { time.dictionary }

/// The time that a dictionary represents; invalid for nil, and if an entry is missing or out of range (R-TIME-09).
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: [String: Int64]?) -> CMTime { CMTime(dictionary: dictionaryRepresentation) }

/// The description (R-TIME-10); `allocator` is ignored.
public func CMTimeCopyDescription(allocator: AnyObject?, time: CMTime) -> String? { time.description }

public func CMTimeShow(_ time: CMTime) { print(time) }

// MARK: - Units that Apple's Dispatch headers define and Linux lacks

public let NSEC_PER_SEC: UInt64 = 1_000_000_000
public let NSEC_PER_MSEC: UInt64 = 1_000_000
public let NSEC_PER_USEC: UInt64 = 1_000
public let USEC_PER_SEC: UInt64 = 1_000_000
