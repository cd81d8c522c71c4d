/// The progress of a stream to the end of all audio. PipeWire plays whole blocks, and plays the rest of the last one only if the stream is drained.
enum StreamEnd {
    /// More frames may follow.
    case open
    /// No more frames follow, and the server is not draining the stream yet.
    case complete
    /// The server drains the stream, and has not replied that all frames were played.
    case draining
    /// The stream was stopped while the server drains it. The stop is sent after the server has replied that all frames were played.
    case stopping
}
