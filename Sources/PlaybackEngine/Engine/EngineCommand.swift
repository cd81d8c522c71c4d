public import Platform

/// A command of the player to the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Replaces the current item and its followers at once. The engine answers with the event `opened` or `failed`.
    case load(LoadRequest)
    /// Removes the current item and its followers. Their audio fades out, and silence follows.
    case unload
    /// Replaces the list of items that follow `after` (the player's current item), in order and without a gap. Items that are already joined and
    /// still listed remain joined.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Removes the current item and starts the first following item at once. If no item follows, `advance` is the same as `unload`.
    case advance
    /// Seeks in the current item. The engine answers with the event `seekCompleted` or `seekFailed`. If a newer seek or a load replaces this seek,
    /// the answer is `seekFailed`.
    case seek(SeekRequest)
    /// Replaces the loop of the current item. Audio that was rendered ahead for the former loop is replaced without a gap. For another item, the
    /// command has no effect.
    case setLoop(LoopRange?, ItemID)
    /// Replaces the settings. Changes that concern the open device or rendered audio take effect at once.
    case configure(EngineSettings)
    /// Starts or stops playback. True lets the device start; false fades out the audio over 5 ms, and stops the device after that. Starting and
    /// stopping keep all buffered audio.
    case setRunning(Bool)
    /// Prepares a start at a host time, which has to be at least `StartTime.shortestNotice` ahead: the next frame is withdrawn, and the device begins
    /// with silence after the command `setRunning(true)`. Without rendered audio, or in reverse, the command has no effect.
    case awaitStart(HostTime)
    /// Ends the silence of a prepared start, so that the next frame is heard at its host time by the measured clock of the device. Sent
    /// `StartTime.measuringTime` before that time. Without a prepared start, the command has no effect.
    case meetStart
    /// Tries the outputs that are preferred to the open one, in their order, and moves to the first that opens. The position is kept. If no output is
    /// open, tries all.
    case reselectOutput
    /// Replaces the list of outputs, and moves playback to the first output of the new list that opens. The position of playback is kept.
    case setOutputs([any OutputProvider])
}
