/// What the server knows of the end of all audio. PipeWire plays whole blocks, and keeps the rest of the last one unless the stream is drained.
enum StreamEnd {
    /// More frames may follow.
    case open
    /// The source has all frames there are, and the server was not told.
    case complete
    /// The server was told, and has not answered that all frames were played.
    case draining
    /// The stream is stopped after the server has answered.
    case stopping
}
