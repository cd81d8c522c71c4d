public import AVFoundation

/// A partial change of the audio session; a nil property means no change. A new category of the audio session resets its mode to the default and
/// removes its options, unless the update also has a mode or options.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: AVAudioSession.Category?
    public var mode: AVAudioSession.Mode?
    public var options: AVAudioSession.CategoryOptions?
    /// Whether the audio session becomes active; deactivating the audio session also pauses playback.
    public var isActive: Bool?
    public init() {}
}
