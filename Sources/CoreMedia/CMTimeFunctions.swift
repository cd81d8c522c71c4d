// The functions of Apple's CMTime.h, under their names in Swift. Each function of CMTime.h is equivalent to an initializer, an operator or a method.

/// Makes a time of `value / timescale` seconds; see `CMTime.init(value:timescale:)`.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// Makes a time of `value / timescale` seconds in an epoch. The made time is invalid if the timescale is not positive (R-TIME-04).
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch) : .invalid
}

/// Makes a time from seconds, truncated to the timescale; see `CMTime.init(seconds:preferredTimescale:)` (R-TIME-20 to R-TIME-22).
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns a time in seconds; see `CMTime.seconds` (R-TIME-23).
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// Converts a time to another timescale; see `CMTime.convertScale(_:method:)` (R-CONV-01 to R-CONV-04).
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

// MARK: - Arithmetic

/// Returns the sum of two times; see `CMTime.+` (R-ARITH-01 to R-ARITH-06).
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// Returns the difference of two times; see `CMTime.-` (R-ARITH-01 to R-ARITH-06).
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// Returns the time × `multiplier`. The product keeps the timescale of the time, or the timescale is halved until the value does not overflow; the
/// product is ±∞ if the value overflows at every timescale (R-ARITH-07). The product 0 × ∞ is invalid (a choice of this implementation).
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime { time.multiplied(by: multiplier) }

/// Returns the time × a floating-point number, computed exactly and rounded once. The timescale of the product is the time's timescale, doubled until
/// it is at least 65,536, and halved while the value overflows. The product is ±∞ if the value overflows at every timescale, and invalid for NaN and
/// 0 × ∞ (a choice of this implementation). Programs should compare products of a time by value, not by fields (R-ARITH-08).
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime { time.multiplied(by: multiplier) }

/// Returns the time × `multiplier` / `divisor`, exactly if a `CMTime` can represent the product. If the divisor is 0, the product is ±∞; it is
/// invalid if the divisor is 0 and the time or the multiplier is 0 too (R-ARITH-09).
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime { time.multiplied(by: multiplier, over: divisor) }

/// Returns the absolute value of a time (R-ARITH-10).
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.absoluteValue }

// MARK: - Order

/// Compares two times, like `CMTime.compared(to:)`. Returns −1 if `time1` is before `time2`, 0 if both times are equal, and 1 if `time1` is after
/// `time2`. The order of times is −∞ < every finite time < indefinite < +∞ < invalid; finite times with a larger epoch are later (R-CMP-01,
/// R-CMP-02).
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compared(to: time2) }

/// Returns the lesser of two times by `CMTimeCompare`. The minimum of a valid time and an invalid time is the valid time (R-CMP-03).
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 < time1 ? time2 : time1 }

/// Returns the greater of two times by `CMTimeCompare` (R-CMP-03).
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 > time1 ? time2 : time1 }

// MARK: - Other forms

/// Returns the four fields of a time by name: `value`, `timescale`, `epoch`, `flags` (R-TIME-09). The parameter `allocator` exists for Apple's
/// signature and is ignored.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: AnyObject?) -> [String: Int64]? { time.dictionary }

/// Makes a time from its dictionary form. The time is invalid if the dictionary is nil, or if an entry is missing or out of range (R-TIME-09).
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: [String: Int64]?) -> CMTime { CMTime(dictionary: dictionaryRepresentation) }

/// Returns the description of a time, `CMTime.description` (R-TIME-10). The parameter `allocator` exists for Apple's signature and is ignored.
public func CMTimeCopyDescription(allocator: AnyObject?, time: CMTime) -> String? { time.description }

/// Prints the description of a time.
public func CMTimeShow(_ time: CMTime) { print(time) }

// MARK: - Units that Apple's Dispatch headers define and Linux lacks

/// The number of nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// The number of nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// The number of nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// The number of microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
