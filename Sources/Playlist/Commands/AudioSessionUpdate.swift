/// A partial change of the audio session; nil means no change. With a new category, the mode becomes the default one and the options are removed,
/// unless they are given too.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: AudioSessionState.Category?
    public var mode: AudioSessionState.Mode?
    public var options: [AudioSessionState.Option]?
    /// Whether the session is active; false stops playback.
    public var isActive: Bool?
    public init() {}
}
