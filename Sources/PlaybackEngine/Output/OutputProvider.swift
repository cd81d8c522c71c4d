/// Makes sinks of one kind. The engine tries a list of them in order (`auto` is PulseAudio, then the null output).
public protocol OutputProvider: Sendable {
    /// A new, closed sink.
    func makeSink() -> any AudioSink
}
