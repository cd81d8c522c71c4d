/// The numerator of a time.
public typealias CMTimeValue = Int64
/// The denominator of a time: units a second. Positive in every numeric time.
public typealias CMTimeScale = Int32
/// Which timeline a time belongs to (a pass of a loop, say). 0 for durations.
public typealias CMTimeEpoch = Int64

/// The largest timescale that a time can have (R-TIME-03).
public let kCMTimeMaxTimescale = Int(CMTimeScale.max)

/// What is known of a time besides its numbers (R-TIME-01).
///
/// Every flag needs `valid` to count. The three implied-value flags make the other fields of a time meaningless (R-TIME-02).
public struct CMTimeFlags: OptionSet, Sendable, Hashable, BitwiseCopyable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time means something. Memory that is all zero is an invalid time.
    public static let valid = CMTimeFlags(rawValue: 1)
    /// The value was rounded, or derives from one that was.
    public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
    /// Later than every finite time.
    public static let positiveInfinity = CMTimeFlags(rawValue: 4)
    /// Earlier than every finite time.
    public static let negativeInfinity = CMTimeFlags(rawValue: 8)
    /// Not known: the duration of a live stream.
    public static let indefinite = CMTimeFlags(rawValue: 16)
    /// The flags that make value, timescale and epoch meaningless.
    public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

/// A point in time or a duration, as the exact fraction `value / timescale` of seconds.
///
/// A time is also able to be infinite, indefinite or invalid: test for that with `isNumeric` and the other predicates, not by looking at fields,
/// for many bit patterns mean the same (R-TIME-05). `==`, `<` and hashing all follow `CMTimeCompare`, so that 1/2 equals 2/4.
///
/// Every operation is defined for every bit pattern and none traps. A time that is flagged as numeric although its timescale is not positive has no
/// value; arithmetic and ordering treat it as invalid (ours; Apple's header only says that timescales must be positive).
///
/// Source: Apple, "CMTime"; R-TIME-01 to R-TIME-10.
public struct CMTime: Sendable, BitwiseCopyable {
    /// Units of `1 / timescale` seconds.
    public var value: CMTimeValue
    /// Units a second.
    public var timescale: CMTimeScale
    public var flags: CMTimeFlags
    /// Times of different epochs can be compared (the larger epoch is later), but neither added nor subtracted (R-ARITH-06, R-CMP-02).
    public var epoch: CMTimeEpoch

    /// An invalid time: every field zero.
    public init() {
        self.init(value: 0, timescale: 0, flags: [], epoch: 0)
    }

    /// A time with these very fields, sensible or not.
    public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
        self.value = value
        self.timescale = timescale
        self.flags = flags
        self.epoch = epoch
    }

    /// `value / timescale` seconds, exactly. Invalid where the timescale is not positive (R-TIME-04).
    public init(value: CMTimeValue, timescale: CMTimeScale) {
        self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : .invalid
    }
}

// MARK: - The times that have a name (R-TIME-07)

extension CMTime {
    /// 0/1.
    public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)
    /// No time at all. It sorts behind every other (R-CMP-01).
    public static let invalid = CMTime(value: 0, timescale: 0, flags: [], epoch: 0)
    /// A time that is not known.
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
    /// Whether value, timescale and epoch mean something.
    public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
    /// Whether a numeric time was rounded on its way; false for every other time.
    public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}

extension CMTime {
    /// What a bit pattern stands for. The order of the cases is the order of times (R-CMP-01).
    ///
    /// Where several implied-value flags are set, which Apple leaves open, +∞ goes before −∞ and both before indefinite.
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

    /// An infinity with this sign, with the plain flags (R-CONV-04).
    static func infinity(negative: Bool) -> CMTime { negative ? .negativeInfinity : .positiveInfinity }
}
