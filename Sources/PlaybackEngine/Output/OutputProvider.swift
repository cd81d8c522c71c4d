public import Platform

/// Makes sinks of one kind of output. The engine tries the providers of a list in order; `--output auto` is PulseAudio, then the null output.
public protocol OutputProvider: Sendable {
    /// A new one, which is closed.
    func makeSink() -> any AudioSink
}

/// Discards its audio in real time, on a machine without a sound server.
public struct NullOutputProvider: OutputProvider {
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameter isThreaded: Without threads, the caller steps the sinks (`ClockedSink.step`).
    public init(clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.clock = clock
        self.isThreaded = isThreaded
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// For a caller that steps it.
    public func makeClockedSink() -> ClockedSink {
        ClockedSink(OutputDescription(kind: "null", id: "", name: "No sound"), clock: clock, recorder: nil, isThreaded: isThreaded)
    }
}
