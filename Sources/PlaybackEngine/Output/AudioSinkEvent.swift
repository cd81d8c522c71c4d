/// An event of an output, sent on the output's own thread.
public enum AudioSinkEvent: Sendable {
    /// Frames were taken from the source, which has free capacity again.
    case consumed
    /// The running device has no more frames. Sent after it has taken the last frame, and again after that frame has been heard if that is later.
    case underflow
    /// The connection or the device was lost. The sink is closed and takes no more frames.
    case lost(PlaybackError)
    /// The stream was moved to another device, or the device has another name. `wasRemoved`: the former device no longer exists.
    case changed(OutputDescription, wasRemoved: Bool)
    /// The sound server or another program acted on the stream.
    case signal(StreamSignal)
    /// The playhead was corrected. Times that were predicted from the former one are no longer valid.
    case corrected
}
