/// An event of an output (`AudioSink`), sent on the output's own thread.
public enum AudioSinkEvent: Sendable {
    /// The device has taken frames from the source, so the source has free capacity again.
    case consumed
    /// An underrun: the running device has no more frames. The event is sent after the device has taken the last frame. If the last frame is heard
    /// later than it is taken, the event is sent again after the last frame was heard.
    case underflow
    /// The connection or the device was lost. The sink is closed and takes no more frames.
    case lost(PlaybackError)
    /// The stream was moved to another device, or the device has another name or another sample rate. `wasRemoved` means that the former device no
    /// longer exists.
    case changed(OutputDescription, wasRemoved: Bool)
    /// The sound server or another program acted on the stream.
    case signal(StreamSignal)
    /// The playhead was corrected. Host times that were computed from the playhead before the correction are no longer valid.
    case corrected
}
