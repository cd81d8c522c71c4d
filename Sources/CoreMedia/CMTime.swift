/// The type of a time's numerator.
public typealias CMTimeValue = Int64
/// The type of a time's denominator (timescale): the number of units per second. The timescale is positive in every numeric time.
public typealias CMTimeScale = Int32
/// The type of an epoch: the number of the timeline that a time belongs to, for example one pass of a loop. The epoch of a duration is 0.
public typealias CMTimeEpoch = Int64

/// The largest timescale that a time can have (R-TIME-03).
public let kCMTimeMaxTimescale = Int(CMTimeScale.max)

/// The flags of a time: whether it is valid, rounded, infinite or indefinite (R-TIME-01).
///
/// The flags of a time count only together with the flag `valid`. The flags `positiveInfinity`, `negativeInfinity` and `indefinite` (the
/// implied-value flags) make the other fields of a time meaningless (R-TIME-02).
public struct CMTimeFlags: OptionSet, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The flag of a valid time. If all bytes of a time are zero, the time is invalid.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The flag of a time whose value was rounded, or derived from a rounded value.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// The flag of +∞, which is later than every finite time.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// The flag of −∞, which is earlier than every finite time.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// The flag of an unknown (indefinite) time, for example the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags that make the value, the timescale and the epoch of a time meaningless.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A point in time or a duration, as the exact fraction `value / timescale` of seconds.
///
/// A time can also be infinite, indefinite or invalid. Programs test the kind of a time with `isNumeric` and the other predicates, not by its fields,
/// because many bit patterns have the same meaning (R-TIME-05). `==`, `<` and hashing of times all agree with `CMTimeCompare`, so 1/2 equals 2/4.
///
/// Every operation on times is defined for every bit pattern, and no operation traps. If a time is flagged as finite, but its timescale is not
/// positive, arithmetic and ordering treat the time as invalid. (Apple's header only requires positive timescales, so this rule is a choice of this
/// implementation.)
///
/// Source: Apple, "CMTime"; R-TIME-01 to R-TIME-10.
public struct CMTime: Sendable, BitwiseCopyable {
    /// The numerator of the time, in units of `1 / timescale` seconds.
    public var value: CMTimeValue
    /// The timescale of the time: the number of units of `value` in a second.
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    /// The timeline that the time belongs to. Times of different epochs can be compared (the larger epoch is later), but neither added nor
    /// subtracted, unless one of the epochs is 0 (R-ARITH-06, R-CMP-02).
    public var epoch: CMTimeEpoch

    /// Makes an invalid time: every field is zero.
    public init() {
        self.init(value: 0, timescale: 0, flags: [], epoch: 0)
    }

    /// Makes a time with exactly the given fields. The fields may make the time invalid.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// Makes the time of exactly `value / timescale` seconds. The time is invalid if the timescale is not positive (R-TIME-04).
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : .invalid
    }
}

// MARK: - Named times (R-TIME-07)

extension CMTime {
    /// The time of zero seconds.
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// The invalid time. In the order of times, the invalid time is after all other times (R-CMP-01).
    public static let invalid = CMTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// An indefinite (unknown) time.
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
    /// Whether the value, the timescale and the epoch of the time have a meaning.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// Whether a numeric time was rounded; false for every other time.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

extension CMTime {
    /// The kind of a time. The order of the cases is the order of times (R-CMP-01). If several of the flags for +∞, −∞ and indefinite are set, +∞ has
    /// priority over −∞, and −∞ over indefinite; Apple does not define such a priority.
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

    /// Returns the time −∞ if `negative` is true, otherwise +∞, with only the necessary flags (R-CONV-04).
    static func infinity(negative: Bool) -> CMTime { negative ? .negativeInfinity : .positiveInfinity }
}

extension CMTime: CustomStringConvertible, CustomDebugStringConvertible {
    /// The time as the text of Apple's `CMTimeCopyDescription`: `{1/2 = 0.500}`, `{7/1 = 7.000, rounded}`, `{INVALID}` (R-TIME-10).
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

    /// The seconds of a finite time with three decimals, computed from the exact fraction.
    private var decimalSeconds: String {
        let scale = UInt128(timescale.magnitude)
        let thousandths = (UInt128(value.magnitude) * 1000 + scale / 2) / scale
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let digits = String(rest)
        return (value < 0 ? "-" : "") + "\(whole)." + String(repeating: "0", count: 3 - digits.count) + digits
    }
}
