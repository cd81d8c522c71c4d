/// What others do to an output's stream.
public enum StreamSignal: Sendable, Hashable {
    /// The sound server asks something of it, in PulseAudio's words: `request-cork`, `request-uncork` (R-LNX-02, R-LNX-04).
    case event(String)
    /// Somebody else has put the device to sleep under the running stream, or it is awake again (R-LNX-25).
    case suspended(Bool)
}
