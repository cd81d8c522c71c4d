public import Platform

/// A command of the player to the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Answered with `opened` or `failed`.
    case load(LoadRequest)
    /// Fades out; silence follows.
    case unload
    /// Replaces the items after `after`, the player's current one, which are joined without a gap. Audio of a listed item that was read ahead is kept
    /// if the items before it are unchanged too.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Without a following item the same as `unload`.
    case advance
    /// Answered with `seekCompleted` or `seekFailed`, which is also the answer if a newer seek or a load replaces it.
    case seek(SeekRequest)
    /// Audio of a heard item that was rendered ahead is replaced without a gap. Otherwise the loop applies to audio that is read from now on.
    case setLoop(LoopRange?, ItemID)
    /// Also to the open device and rendered audio, at once.
    case configure(EngineSettings)
    /// False fades out over 5 ms, and then stops the device. All buffered audio is kept.
    case setRunning(Bool)
    /// Prepares a start at least `StartTime.shortestNotice` ahead: silence replaces the rendered audio until `meetStart`. No effect without rendered
    /// audio or an open output, during playback, a fade-out or a seek, and in reverse playback.
    case awaitStart(HostTime)
    /// Sent `StartTime.measuringTime` before a prepared start: by the device's clock, the engine chooses the number of silent frames so that the next
    /// frame is heard in time.
    case meetStart
    /// Moves playback to the first output before the open one that opens, of all outputs if none is open. The position is kept.
    case reselectOutput
    /// Moves playback to the first that opens. The position is kept.
    case setOutputs([any OutputProvider])
}
