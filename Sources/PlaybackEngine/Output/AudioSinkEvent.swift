/// What an output tells, from its own thread.
public enum AudioSinkEvent: Sendable {
    /// Frames were taken from the source: there is room for more.
    case consumed
    /// The device ran dry although it was running: told when it has taken all there is, and, where that is later, when the last frame has been heard.
    case underflow
    /// The connection or the device is gone; the sink is closed and takes nothing more.
    case lost(PlaybackError)
    /// The stream now plays on another device, or the device has another name. `wasRemoved`: the device before is there no longer.
    case changed(OutputDescription, wasRemoved: Bool)
    /// Others did something to the stream.
    case signal(StreamSignal)
    /// The playhead turned out to be elsewhere than it told: what was foretold from it comes at another time.
    case corrected
}
