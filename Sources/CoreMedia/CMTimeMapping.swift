/// Maps a range of one timeline to a range of another, at `source.duration / target.duration` times the speed.
///
/// Source: Apple, "CMTimeMapping"; R-RANGE-10.
public struct CMTimeMapping: Sendable, BitwiseCopyable, Hashable, Codable {
    /// The range that is mapped. In an empty edit, which presents nothing, its start is not numeric, and its duration is ignored.
    public var source: CMTimeRange
    public var target: CMTimeRange

    /// An invalid mapping: every field is zero.
    public init() {
        self.init(source: CMTimeRange(), target: CMTimeRange())
    }

    /// Makes a mapping of two ranges, which may be invalid.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)
}

extension CMTimeMapping {
    /// True if the target is valid; the source may be invalid.
    public var isValid: Bool { target.isValid }
    /// True if the mapping presents nothing during the target.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

extension CMTimeMapping: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { "{\(source), \(target)}" }
    public var debugDescription: String { description }
}

// MARK: - The dictionary form

public let kCMTimeMappingSourceKey = "source"
public let kCMTimeMappingTargetKey = "target"

extension CMTimeMapping {
    var dictionary: [String: [String: [String: Int64]]] {
        [kCMTimeMappingSourceKey: source.dictionary, kCMTimeMappingTargetKey: target.dictionary]
    }

    /// A range that is missing or malformed is invalid.
    init(dictionary: [String: [String: [String: Int64]]]) {
        self.init(
            source: CMTimeRange(dictionary: dictionary[kCMTimeMappingSourceKey] ?? [:]),
            target: CMTimeRange(dictionary: dictionary[kCMTimeMappingTargetKey] ?? [:]))
    }
}
