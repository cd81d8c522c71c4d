/// The setting of the sleep timer, which pauses playback.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    /// After a time from now, in seconds.
    case after(seconds: Double)
    /// At the end of the current item.
    case atEndOfItem
}
