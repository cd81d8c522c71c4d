/// The setting of the sleep timer, which pauses playback.
public enum SleepTimerSetting: Sendable, Hashable {
    case off
    /// Playback pauses the given number of seconds after the command.
    case after(seconds: Double)
    /// Playback pauses at the end of the current item.
    case atEndOfItem
    /// Playback pauses at the end of the current chapter. In an item without chapters, playback pauses at the end of the item.
    case atEndOfChapter
    /// Playback pauses after the given number of items has been played to the end; the current item is the first one.
    case afterItems(Int)
}
