/// An act of the sound server or of another program on the stream of an output.
public enum StreamSignal: Sendable, Hashable {
    /// A request of the sound server, under PulseAudio's name: `request-cork` (to pause) or `request-uncork` (to resume) (R-LNX-02, R-LNX-04).
    case event(String)
    /// Another program has suspended the device of the running stream (true), or has resumed the device (false) (R-LNX-25).
    case suspended(Bool)
}
