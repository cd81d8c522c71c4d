public import Platform

/// Makes outputs that discard their audio in real time. They are used on a machine without a sound server.
public struct NullOutputProvider: OutputProvider {
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - clock: the clock of the sinks.
    ///   - isThreaded: whether the sinks have a thread. Otherwise the caller steps them by `ClockedSink.step`.
    public init(clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.clock = clock
        self.isThreaded = isThreaded
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink, as a type that the caller can step.
    public func makeClockedSink() -> ClockedSink {
        ClockedSink(OutputDescription(kind: "null", id: "", name: "No sound"), clock: clock, recorder: nil, isThreaded: isThreaded)
    }
}
