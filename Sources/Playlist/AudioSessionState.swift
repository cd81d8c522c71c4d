/// The audio session as remotes see it. Names are AVFoundation's.
public struct AudioSessionState: Sendable, Hashable {
    public var category: String
    public var mode: String
    public var options: [String]
    public var isActive: Bool
    public var isInterrupted: Bool
    public init(category: String, mode: String, options: [String], isActive: Bool, isInterrupted: Bool) {
        self.category = category; self.mode = mode; self.options = options; self.isActive = isActive; self.isInterrupted = isInterrupted
    }
}

/// A partial change of the audio session; nil leaves a part alone. Another category begins with the default mode and no options, where none are given.
public struct AudioSessionUpdate: Sendable, Hashable {
    public var category: String?
    public var mode: String?
    public var options: [String]?
    /// False stops what plays.
    public var isActive: Bool?
    public init() {}
}

/// When playback is to pause by itself.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    /// So many seconds from now.
    case after(seconds: Double)
    /// When the current item has been heard to its end.
    case atEndOfItem
}
