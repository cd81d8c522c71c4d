public import Platform

/// A command of the player to the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Replaces the current item and its followers at once. The engine answers with the event `opened` or `failed`.
    case load(LoadRequest)
    /// Removes the current item and its followers. The audio of the removed items fades out, and silence follows.
    case unload
    /// Replaces the list of items that are played after the item `after` (the player's current item), in order and without a gap. The audio of a
    /// listed item that was already read ahead is kept, if the items before this item are listed unchanged too.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Removes the current item and starts the first following item at once. If no item follows, `advance` is the same as `unload`.
    case advance
    /// Seeks in the current item. The engine answers with the event `seekCompleted` or `seekFailed`. If a newer seek or a load replaces this seek,
    /// the answer is `seekFailed`.
    case seek(SeekRequest)
    /// Replaces the loop of an item. If the item is heard, audio that was rendered ahead for the former loop is replaced without a gap. Otherwise the
    /// loop applies to audio that is read from now on.
    case setLoop(LoopRange?, ItemID)
    /// Replaces the settings. Changes that concern the open device or rendered audio take effect at once.
    case configure(EngineSettings)
    /// Starts or stops playback. True lets the device start; false fades out the audio over 5 ms, and stops the device after that. Starting and
    /// stopping keep all buffered audio.
    case setRunning(Bool)
    /// Prepares a start at a host time, which has to be at least `StartTime.shortestNotice` ahead. Silence replaces the rendered audio, so that the
    /// device begins with silence after the command `setRunning(true)`. The command `awaitStart` has no effect if no audio is rendered, if no output
    /// is open, during playback, a fade-out or a seek, or in reverse playback.
    case awaitStart(HostTime)
    /// Ends the silence that `awaitStart` has prepared. The engine reads the device's clock, and chooses the number of silent frames so that the next
    /// frame is heard at the host time of the start. The player sends `meetStart` 0.25 s (`StartTime.measuringTime`) before that host time. If no
    /// start is prepared, the command has no effect.
    case meetStart
    /// Tries the outputs that are preferred to the open one, in the order of the list, and moves playback to the first that opens. The position is
    /// kept. If no output is open, all outputs of the list are tried.
    case reselectOutput
    /// Replaces the list of outputs, and moves playback to the first output of the new list that opens. The position of playback is kept.
    case setOutputs([any OutputProvider])
}
