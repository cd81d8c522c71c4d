/// A mapping of a range of one timeline to a range of another, for example from a medium to a presentation. If the durations differ, the source plays
/// at `source.duration / target.duration` times its speed.
///
/// Source: Apple, "CMTimeMapping"; R-RANGE-10.
public struct CMTimeMapping: Sendable, BitwiseCopyable, Hashable, Codable {
    /// The range that is mapped. In an empty edit (a mapping that presents nothing) the start of this range is not numeric, and its duration is
    /// ignored.
    public var source: CMTimeRange
    /// The range to which the source is mapped.
    public var target: CMTimeRange

    /// Makes an invalid mapping: every field is zero.
    public init() {
        self.init(source: CMTimeRange(), target: CMTimeRange())
    }

    /// Makes a mapping of exactly these two ranges, valid or not. `isValid` is false if the target is invalid.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)
}

extension CMTimeMapping {
    /// Whether the mapping is valid, which is so if its target is valid.
    public var isValid: Bool { target.isValid }
    /// Whether the mapping is an empty edit, which presents nothing during the target range.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

extension CMTimeMapping: CustomStringConvertible, CustomDebugStringConvertible {
    /// The descriptions of the source range and the target range.
    public var description: String { "{\(source), \(target)}" }
    public var debugDescription: String { description }
}

// MARK: - The dictionary form

/// The key of the source in a mapping's dictionary form.
public let kCMTimeMappingSourceKey = "source"
/// The key of the target in a mapping's dictionary form.
public let kCMTimeMappingTargetKey = "target"

extension CMTimeMapping {
    var dictionary: [String: [String: [String: Int64]]] {
        [kCMTimeMappingSourceKey: source.dictionary, kCMTimeMappingTargetKey: target.dictionary]
    }

    /// Makes a mapping from its dictionary form. A missing or malformed range becomes an invalid range.
    init(dictionary: [String: [String: [String: Int64]]]) {
        self.init(
            source: CMTimeRange(dictionary: dictionary[kCMTimeMappingSourceKey] ?? [:]),
            target: CMTimeRange(dictionary: dictionary[kCMTimeMappingTargetKey] ?? [:]))
    }
}
