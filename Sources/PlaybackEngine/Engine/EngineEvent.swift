public import CoreMedia

/// An event of the engine. The engine sends its events in the order in which they happen.
public enum EngineEvent: Sendable {
    /// The item was opened, so its properties are known. The item's audio need not have been decoded yet.
    case opened(ItemID, MediaInfo)
    /// The item could not be opened, or could not be read further. The frames of the failed item that were already rendered are still heard.
    case failed(ItemID, PlaybackError)
    /// The timeline changed, and not only in the number of rendered frames (`written`). Results of `HeardClock` have to be computed again.
    case timelineChanged
    /// The buffer level of the heard item, if a flag of it has changed, or the end of a remote medium's buffered audio has moved
    /// (`BufferMeter.level`). The level is always reported after a seek, for another item, and after a change of the output's sample rate.
    case bufferChanged(ItemID, BufferLevel)
    /// The newest seek was completed. The audio after the seek begins at media time `landed`, with output frame `frame`; `frame` is nil if no audio
    /// after the seek could be rendered yet.
    case seekCompleted(UInt64, ItemID, landed: CMTime, frame: Int64?)
    /// A seek failed, or was cancelled by a newer command. A failed seek changes neither the position nor the audio.
    case seekFailed(UInt64, ItemID, PlaybackError)
    /// A more exact duration of the item is known (R-EOI-08).
    case durationChanged(ItemID, MediaDuration)
    /// The positions of the item's audio are only estimated since its last seek (true), or are exact again after a seek to a known position (false).
    case positionEstimated(ItemID, Bool)
    /// An output was opened, perhaps again in another format, or the device of the open output changed. Audio is sent to the described output in the
    /// given format from now on.
    case outputChanged(OutputDescription, format: AudioFormat, isAudible: Bool, by: OutputChangeCause)
    /// The sound server or another program acted on the stream of the output.
    case streamSignal(StreamSignal)
    /// Another program has set the volume or the mute of the stream.
    case volumeChanged(Float, isMuted: Bool)
    /// The volume of the device has changed (`HeardClock.deviceVolume`).
    case deviceVolumeChanged
    /// The open output failed. The position stays at the frame that was heard last, until the command `openOutput`.
    case outputLost(PlaybackError)
    /// The output could not be opened, and none is open. The engine tries it again at the commands `openOutput` and `setRunning(true)`, and when it
    /// starts an item.
    case outputFailed(PlaybackError)
    /// The output of the command `openOutput` could not be opened, and the former one continues.
    case outputRefused(PlaybackError)
    /// Corrupt packets of the item were skipped. The associated number counts the corrupt packets since the item was opened.
    case packetsSkipped(ItemID, Int)
    /// An underrun: the device had no frames although audio was due.
    case underran
    /// Frames over full scale were rendered: after the volume is applied, at least one sample of each such frame has a magnitude above 1, which a
    /// device with integer samples clips. `frames` is the number of these frames since the last such event.
    case clipped(frames: Int)
}

/// The reason for a change of the output.
public enum OutputChangeCause: Sendable, Hashable {
    /// No output was open before, or the same output was opened again.
    case opened
    /// The user has chosen the output.
    case chosen
    /// The output was absent, and is present now.
    case found
    /// The former output failed.
    case lost
    /// The sound server moved the stream, at the request of a user or a program.
    case moved
    /// The sound server moved the stream because the former device no longer exists.
    case removed
}
