// The functions of Apple's CMTime.h, under their names in Swift. Each is equivalent to an initializer, an operator or a method.

/// Makes a time of `value / timescale` seconds; see `CMTime.init(value:timescale:)`.
public func CMTimeMake(value: Int64, timescale: Int32) -> CMTime { CMTime(value: value, timescale: timescale) }

/// Makes a time of `value / timescale` seconds in an epoch. The time is invalid if the timescale is not positive (R-TIME-04).
public func CMTimeMakeWithEpoch(value: Int64, timescale: Int32, epoch: Int64) -> CMTime {
    timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: epoch) : .invalid
}

/// Makes a time from seconds, truncated to the scale; see `CMTime.init(seconds:preferredTimescale:)` (R-TIME-20 to R-TIME-22).
public func CMTimeMakeWithSeconds(_ seconds: Float64, preferredTimescale: Int32) -> CMTime {
    CMTime(seconds: seconds, preferredTimescale: preferredTimescale)
}

/// Returns a time in seconds; see `CMTime.seconds` (R-TIME-23).
public func CMTimeGetSeconds(_ time: CMTime) -> Float64 { time.seconds }

/// Converts a time to another scale; see `CMTime.convertScale(_:method:)` (R-CONV-01 to R-CONV-04).
public func CMTimeConvertScale(_ time: CMTime, timescale newTimescale: Int32, method: CMTimeRoundingMethod) -> CMTime {
    time.convertScale(newTimescale, method: method)
}

// MARK: - Arithmetic

/// Returns the sum of two times; see `CMTime.+` (R-ARITH-01 to R-ARITH-06).
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs + rhs }

/// Returns the difference of two times; see `CMTime.-` (R-ARITH-01 to R-ARITH-06).
public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { lhs - rhs }

/// Returns the time × `multiplier`. The timescale is kept, or halved until the value does not overflow; the result is ±∞ if the value overflows at
/// every scale (R-ARITH-07). 0 × ∞ is invalid (our choice).
public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime { time.multiplied(by: multiplier) }

/// Returns the time × a floating-point number, computed exactly and rounded once to a scale of at least 65,536. Compare results by value, not by
/// fields (R-ARITH-08).
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Float64) -> CMTime { time.multiplied(by: multiplier) }

/// Returns the time × `multiplier` / `divisor`, exactly if a time can represent the result. If the divisor is 0, the result is ±∞, or invalid if the
/// time or the multiplier is 0 too (R-ARITH-09).
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime { time.multiplied(by: multiplier, over: divisor) }

/// Returns the absolute value of a time (R-ARITH-10).
public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime { time.absoluteValue }

// MARK: - Order

/// Compares two times. Returns −1 if the first time is before the second, 0 if they are equal, and 1 otherwise. −∞ < every finite time < indefinite <
/// +∞ < invalid; larger epochs are later (R-CMP-01, R-CMP-02).
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 { time1.compared(to: time2) }

/// Returns the lesser of two times by `CMTimeCompare`. So the minimum of a valid time and an invalid time is the valid time (R-CMP-03).
public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 < time1 ? time2 : time1 }

/// Returns the greater of two times by `CMTimeCompare` (R-CMP-03).
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { time2 > time1 ? time2 : time1 }

// MARK: - Other forms

/// Returns the four fields of a time by name: `value`, `timescale`, `epoch`, `flags` (R-TIME-09). `allocator` exists for Apple's signature and is
/// ignored.
public func CMTimeCopyAsDictionary(_ time: CMTime, allocator: AnyObject?) -> [String: Int64]? { time.dictionary }

/// Makes a time from its dictionary form. The time is invalid if the dictionary is nil, or if an entry is missing or out of range (R-TIME-09).
public func CMTimeMakeFromDictionary(_ dictionaryRepresentation: [String: Int64]?) -> CMTime { CMTime(dictionary: dictionaryRepresentation) }

/// Returns the description of a time, `CMTime.description` (R-TIME-10). `allocator` exists for Apple's signature and is ignored.
public func CMTimeCopyDescription(allocator: AnyObject?, time: CMTime) -> String? { time.description }

/// Prints the description of a time.
public func CMTimeShow(_ time: CMTime) { print(time) }

// MARK: - Units that Apple's Dispatch headers define and Linux lacks

/// Nanoseconds in a second.
public let NSEC_PER_SEC: UInt64 = 1_000_000_000
/// Nanoseconds in a millisecond.
public let NSEC_PER_MSEC: UInt64 = 1_000_000
/// Nanoseconds in a microsecond.
public let NSEC_PER_USEC: UInt64 = 1_000
/// Microseconds in a second.
public let USEC_PER_SEC: UInt64 = 1_000_000
