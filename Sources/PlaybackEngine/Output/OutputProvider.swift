/// Makes sinks of one kind of output. The engine tries the providers in the order of a list. For `auto` that is PulseAudio, then the null output.
public protocol OutputProvider: Sendable {
    /// Makes a new, closed sink.
    func makeSink() -> any AudioSink
}
