public import CoreMedia

/// An event of the engine. Events are sent in order.
public enum EngineEvent: Sendable {
    /// The item was opened, and its properties are known. Its audio need not have been decoded yet.
    case opened(ItemID, MediaInfo)
    /// The item could not be opened, or reading could not continue. Frames that were already rendered are still heard.
    case failed(ItemID, PlaybackError)
    /// The timeline changed, and not only by growth of `written`. Results of `PlaybackClock` have to be computed again.
    case timelineChanged
    /// A flag of the level of the heard item's buffer changed. Changes of `seconds` alone are not reported.
    case bufferChanged(ItemID, BufferLevel)
    /// The newest seek was completed: audio and timeline are at `landed`, from output frame `frame` on. Nil if nothing of it could be rendered yet.
    case seekCompleted(UInt64, ItemID, landed: CMTime, frame: Int64?)
    /// The seek failed, or was cancelled by a newer command. It changed neither position nor audio.
    case seekFailed(UInt64, ItemID, PlaybackError)
    /// A more exact duration is known (R-EOI-08).
    case durationChanged(ItemID, MediaDuration)
    /// Audio is sent to this output from now on.
    case outputChanged(OutputDescription, isAudible: Bool, by: OutputChangeCause)
    /// The sound server or another program acted on the stream of the output.
    case streamSignal(StreamSignal)
    /// The open output failed. `outputChanged` follows if another one could be opened, otherwise `outputFailed`.
    case outputLost(PlaybackError)
    /// No output could be opened. The engine waits for `reselectOutput`.
    case outputFailed(PlaybackError)
    /// Corrupt packets were skipped. The number is the total of this item.
    case packetsSkipped(ItemID, Int)
    /// The device had no frames although audio was due.
    case underran
}
