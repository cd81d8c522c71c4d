public import CoreMedia

/// What the engine tells, in past tense, in order.
public enum EngineEvent: Sendable {
    /// The item can play: everything about it is known, no sound of it needs to be decoded yet.
    case opened(ItemID, MediaInfo)
    /// It could not be opened, or could not go on. Frames already rendered are still heard.
    case failed(ItemID, PlaybackError)
    /// The timeline changed other than by `written` growing: look at `PlaybackClock` again.
    case timelineChanged
    /// Flags of the current item's buffer changed (not every change of `seconds`).
    case bufferChanged(ItemID, BufferLevel)
    /// The newest seek is done: audio and timeline are at `landed`, from output frame `frame` on. Nil if nothing of it could be rendered yet.
    case seekCompleted(UInt64, ItemID, landed: CMTime, frame: Int64?)
    /// The newest seek could not be done; position and sound are as before.
    case seekFailed(UInt64, ItemID, PlaybackError)
    /// A better value of the duration is known (R-EOI-08).
    case durationChanged(ItemID, MediaDuration)
    /// Sound goes to this output from now on.
    case outputChanged(OutputDescription, isAudible: Bool, by: OutputChangeCause)
    /// Others did something to the stream of the output.
    case streamSignal(StreamSignal)
    /// No output at all could be opened; the engine waits for `reselectOutput`.
    case outputFailed(PlaybackError)
    /// Corrupt packets were skipped, so many in all for this item.
    case packetsSkipped(ItemID, Int)
    /// The device had nothing to play although sound was due.
    case underran
}
