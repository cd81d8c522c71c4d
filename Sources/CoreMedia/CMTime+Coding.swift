public let kCMTimeValueKey = "value"
public let kCMTimeScaleKey = "timescale"
public let kCMTimeEpochKey = "epoch"
public let kCMTimeFlagsKey = "flags"

extension CMTime {
    /// The time as a dictionary, with the keys `kCMTime…Key` (R-TIME-09).
    var dictionary: [String: Int64] {
        [kCMTimeValueKey: value, kCMTimeScaleKey: Int64(timescale), kCMTimeEpochKey: epoch, kCMTimeFlagsKey: Int64(flags.rawValue)]
    }

    /// The time is invalid if an entry is missing or out of range (R-TIME-09).
    init(dictionary: [String: Int64]?) {
        guard let dictionary, let value = dictionary[kCMTimeValueKey], let epoch = dictionary[kCMTimeEpochKey],
            let timescale = dictionary[kCMTimeScaleKey].flatMap(CMTimeScale.init(exactly:)),
            let flags = dictionary[kCMTimeFlagsKey].flatMap(UInt32.init(exactly:))
        else {
            self = .invalid
            return
        }
        self.init(value: value, timescale: timescale, flags: CMTimeFlags(rawValue: flags), epoch: epoch)
    }
}

extension CMTime: Codable {
    private enum CodingKeys: String, CodingKey { case value, timescale, flags, epoch }

    /// A time without `flags` is valid, one without `epoch` has epoch 0. Throws `DecodingError` if value or timescale is missing, a number is out of
    /// range, or a numeric time has no positive timescale.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            value: try container.decode(CMTimeValue.self, forKey: .value),
            timescale: try container.decode(CMTimeScale.self, forKey: .timescale),
            flags: CMTimeFlags(rawValue: try container.decodeIfPresent(UInt32.self, forKey: .flags) ?? CMTimeFlags.valid.rawValue),
            epoch: try container.decodeIfPresent(CMTimeEpoch.self, forKey: .epoch) ?? 0)
        guard !isNumeric || timescale > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .timescale, in: container, debugDescription: "A numeric time must have a positive timescale.")
        }
    }

    /// Encodes the fields under the keys of the dictionary form. Apple's `CMTime` is not Codable; programs commonly add the conformance.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(timescale, forKey: .timescale)
        try container.encode(flags.rawValue, forKey: .flags)
        try container.encode(epoch, forKey: .epoch)
    }
}
