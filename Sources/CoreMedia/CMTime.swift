/// The numerator of a time.
public typealias CMTimeValue = Int64
/// Units per second; positive in every numeric time.
public typealias CMTimeScale = Int32
/// The timeline that a time belongs to, such as one pass of a loop; 0 for durations.
public typealias CMTimeEpoch = Int64

/// The largest timescale (R-TIME-03).
public let kCMTimeMaxTimescale = Int(CMTimeScale.max)

/// Flags for valid, rounded, infinite and indefinite times (R-TIME-01). All other flags count only together with `valid`. The implied-value flags
/// (infinite, indefinite) make value, timescale and epoch meaningless (R-TIME-02).
public struct CMTimeFlags: OptionSet, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is valid; a time whose bytes are all zero is invalid.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The time was rounded, or derived from a rounded one.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The time is later than every finite time.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The time is earlier than every finite time.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// The time is unknown, such as the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags that make value, timescale and epoch meaningless.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A point in time or a duration: exactly `value / timescale` seconds, or infinite, indefinite or invalid.
///
/// Test the kind with `isNumeric` and the other predicates, because many bit patterns mean the same (R-TIME-05). `==`, `<` and hashing agree with
/// `CMTimeCompare`: 1/2 equals 2/4. Every operation is defined for every bit pattern, and none traps; a finite time without a positive timescale
/// counts as invalid, as we chose.
///
/// Source: Apple, "CMTime"; R-TIME-01 to R-TIME-10.
public struct CMTime: Sendable, BitwiseCopyable {
    /// The numerator, in units of `1 / timescale` seconds.
    public var value: CMTimeValue
    /// The units of `value` in a second.
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    /// A larger epoch is later. Times of different epochs are neither added nor subtracted, unless one epoch is 0 (R-ARITH-06, R-CMP-02).
    public var epoch: CMTimeEpoch

    /// An invalid time: every field is zero.
    public init() {
        self.init(value: 0, timescale: 0, flags: [], epoch: 0)
    }

    /// Makes a time of any fields, also of invalid ones.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// The time is invalid if the timescale is not positive (R-TIME-04).
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : .invalid
    }
}

// MARK: - Named times (R-TIME-07)

extension CMTime {
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// The invalid time, which sorts after all other times (R-CMP-01).
    public static let invalid = CMTime(value: 0, timescale: 0, flags: [], epoch: 0)
    public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
    public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
    public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
}

// MARK: - Predicates (R-TIME-02)

extension CMTime {
    public var isValid: Bool { flags.contains(.valid) }
    public var isPositiveInfinity: Bool { flags.isSuperset(of: [.valid, .positiveInfinity]) }
    public var isNegativeInfinity: Bool { flags.isSuperset(of: [.valid, .negativeInfinity]) }
    public var isIndefinite: Bool { flags.isSuperset(of: [.valid, .indefinite]) }
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// Whether the time was rounded; false for times that are not numeric.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

extension CMTime {
    /// The kinds, in the order of times (R-CMP-01). If several of the flags are set, which Apple does not define, +∞ counts before −∞, and −∞ before
    /// indefinite.
    enum Kind: Int {
        case negativeInfinity, finite, indefinite, positiveInfinity, invalid
    }

    var kind: Kind {
        guard isValid else { return .invalid }
        if flags.contains(.positiveInfinity) { return .positiveInfinity }
        if flags.contains(.negativeInfinity) { return .negativeInfinity }
        if flags.contains(.indefinite) { return .indefinite }
        return timescale > 0 ? .finite : .invalid
    }

    /// ±∞, with only the necessary flags (R-CONV-04).
    static func infinity(negative: Bool) -> CMTime { negative ? .negativeInfinity : .positiveInfinity }
}

extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
    /// The text of Apple's `CMTimeCopyDescription`: `{1/2 = 0.500}`, `{7/1 = 7.000, rounded}`, `{INVALID}` (R-TIME-10).
    public var description: String {
        switch kind {
        case .positiveInfinity: return "{+INFINITY}"
        case .negativeInfinity: return "{-INFINITY}"
        case .indefinite: return "{INDEFINITE}"
        case .invalid: return "{INVALID}"
        case .finite:
            let rounded = hasBeenRounded ? ", rounded" : ""
            let later = epoch == 0 ? "" : ", epoch \(epoch)"
            return "{\(value)/\(timescale) = \(decimalSeconds)\(rounded)\(later)}"
        }
    }

    public var debugDescription: String { description }

    /// The seconds with three decimals, rounded from the exact fraction.
    private var decimalSeconds: String {
        let scale = UInt128(timescale.magnitude)
        let thousandths = (UInt128(value.magnitude) * 1000 + scale / 2) / scale
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(rest)
        return (value < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
