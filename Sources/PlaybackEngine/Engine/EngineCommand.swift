/// What the player asks of the engine. Commands are carried out in order, on the engine's thread.
public enum EngineCommand: Sendable {
    /// Replaces whatever plays, at once. Answered by `opened` or `failed`.
    case load(LoadRequest)
    /// Drops the current item and all that follow; silence.
    case unload
    /// The items to join to `after` (the item that the player calls current), in order, without a gap. Replaces the former list; items already joined and
    /// still listed stay joined.
    case setUpcoming([LoadRequest], after: ItemID)
    /// Drops the current item and goes on with the first upcoming one at once; where there is none, like `unload`.
    case advance
    /// Answered by `seekCompleted`, unless a newer seek or a load came first.
    case seek(SeekRequest)
    /// Plays by these settings from now on. What changes an open device or rendered audio acts at once.
    case configure(EngineSettings)
    /// Lets the device run, or stops it after 5 ms in which the sound fades out, with everything kept.
    case setRunning(Bool)
    /// Try the outputs again in order of preference and move to the best that opens, keeping the position.
    case reselectOutput
    /// Replace the list of outputs and move to the best that opens, keeping the position.
    case setOutputs([any OutputProvider])
}
