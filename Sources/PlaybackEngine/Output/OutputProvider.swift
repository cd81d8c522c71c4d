/// A provider makes sinks of one kind of output. The engine tries the output providers in the order of a list. With the option `--output auto`, the
/// list is PulseAudio, then the null output.
public protocol OutputProvider: Sendable {
    /// Makes a new, closed sink.
    func makeSink() -> any AudioSink
}
