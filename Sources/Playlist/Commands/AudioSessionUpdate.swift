/// A partial change of the audio session; nil leaves a part alone. Another category begins with the default mode and no options, where none are given.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: AudioSessionState.Category?
    public var mode: AudioSessionState.Mode?
    public var options: [AudioSessionState.Option]?
    /// False stops what plays.
    public var isActive: Bool?
    public init() {}
}
