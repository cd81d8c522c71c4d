/// A partial change of the audio session; nil leaves a part alone. Another category begins with the default mode and no options, where none are given.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: String?
    public var mode: String?
    public var options: [String]?
    /// False stops what plays.
    public var isActive: Bool?
    public init() {}
}
