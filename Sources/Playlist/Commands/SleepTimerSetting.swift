/// When playback is to pause by itself.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    /// So many seconds from now.
    case after(seconds: Double)
    /// When the current item has been heard to its end.
    case atEndOfItem
}
