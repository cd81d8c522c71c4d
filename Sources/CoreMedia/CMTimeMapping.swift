/// A stretch of one timeline shown as a stretch of another: the media's, say, in a presentation's. Where the durations differ, it plays at
/// `source.duration / target.duration` times its speed.
///
/// Source: Apple, "CMTimeMapping"; R-RANGE-10.
public struct CMTimeMapping: Sendable, BitwiseCopyable, Hashable, Codable {
    /// Where from. An empty edit has no numeric start here, and its duration does not count.
    public var source: CMTimeRange
    /// Where to.
    public var target: CMTimeRange

    /// An invalid mapping: every field zero.
    public init() {
        self.init(source: CMTimeRange(), target: CMTimeRange())
    }

    /// A mapping of these very ranges, sensible or not: ask `isValid`.
    public init(source: CMTimeRange, target: CMTimeRange) {
        self.source = source
        self.target = target
    }

    public static let invalid = CMTimeMapping(source: .invalid, target: .invalid)
}

extension CMTimeMapping {
    /// A mapping is valid where its target is.
    public var isValid: Bool { target.isValid }
    /// An empty edit: nothing is shown during the target.
    public var isEmpty: Bool { isValid && !source.start.isNumeric }
}

extension CMTimeMapping: CustomStringConvertible, CustomDebugStringConvertible {
    /// Source and target, as ranges.
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

    /// The mapping that `dictionary` gave; a missing or broken range is invalid.
    init(dictionary: [String: [String: [String: Int64]]]) {
        self.init(
            source: CMTimeRange(dictionary: dictionary[kCMTimeMappingSourceKey] ?? [:]),
            target: CMTimeRange(dictionary: dictionary[kCMTimeMappingTargetKey] ?? [:]))
    }
}
