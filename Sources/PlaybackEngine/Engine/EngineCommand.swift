/// A command of the player to the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Replaces the current item and its followers at once. Answered by `opened` or `failed`.
    case load(LoadRequest)
    /// Removes the current item and its followers. Silence follows.
    case unload
    /// Sets the items that follow `after` (the player's current item), in order and without a gap. Replaces the former list. Items that are already
    /// joined and still listed remain joined.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Removes the current item and starts the first upcoming one at once. Without an upcoming item, the same as `unload`.
    case advance
    /// Seeks in the current item. Answered by `seekCompleted`, or by `seekFailed`, also if a newer seek or a load replaces it.
    case seek(SeekRequest)
    /// Replaces the settings. Changes that concern the open device or rendered audio take effect at once.
    case configure(EngineSettings)
    /// Lets the device run, or fades out the audio over 5 ms and stops it. Everything that is buffered is kept.
    case setRunning(Bool)
    /// Tries the outputs again in order of preference, and moves to the first that opens. The position is kept.
    case reselectOutput
    /// Replaces the list of outputs, and moves to the first that opens. The position is kept.
    case setOutputs([any OutputProvider])
}
