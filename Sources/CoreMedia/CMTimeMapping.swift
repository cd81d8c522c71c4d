/// A mapping of a range of one timeline to a range of another, for example from a medium to a presentation. If the durations of the two ranges
/// differ, the source plays at `source.duration / target.duration` times its speed.
///
/// Source: Apple, "CMTimeMapping"; R-RANGE-10.
public struct CMTimeMapping: Sendable, BitwiseCopyable, Hashable, Codable {
    /// The source range of the mapping. In an empty edit (a mapping that presents nothing) the start of the source range is not numeric, and its
    /// duration is ignored.
    public var source: CMTimeRange
    /// The target range of the mapping, to which the source range is mapped.
    public var target: CMTimeRange

    /// Makes an invalid mapping, in which every field is zero.
    public init() {
        self.init(source: CMTimeRange(), target: CMTimeRange())
    }

    /// Makes a mapping of exactly the two given ranges, valid or not. The property `isValid` of a mapping is false if its target is invalid.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)
}

extension CMTimeMapping {
    /// Whether the mapping is valid, which means that its target range is valid.
    public var isValid: Bool { target.isValid }
    /// Whether the mapping is an empty edit, which presents nothing during the target range.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

extension CMTimeMapping: CustomStringConvertible, CustomDebugStringConvertible {
    /// The mapping as text: the descriptions of the source range and the target range.
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

    /// Makes a mapping from its dictionary form. If a range is missing or malformed in the dictionary, it becomes an invalid range.
    init(dictionary: [String: [String: [String: Int64]]]) {
        self.init(
            source: CMTimeRange(dictionary: dictionary[kCMTimeMappingSourceKey] ?? [:]),
            target: CMTimeRange(dictionary: dictionary[kCMTimeMappingTargetKey] ?? [:]))
    }
}
