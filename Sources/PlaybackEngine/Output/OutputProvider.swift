/// Makes sinks of one kind. The engine tries a list of providers in order (`auto` is PulseAudio, then the null output).
public protocol OutputProvider: Sendable {
    /// Makes a new, closed sink.
    func makeSink() -> any AudioSink
}
