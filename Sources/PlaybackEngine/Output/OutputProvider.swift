public import Platform

/// A provider makes sinks of one kind of output. The engine tries the output providers in the order of a list. With the option `--output auto`, the
/// list is PulseAudio, then the null output.
public protocol OutputProvider: Sendable {
    /// Makes a new, closed sink.
    func makeSink() -> any AudioSink
}

/// Makes outputs that discard their audio in real time. Null outputs are used on a machine without a sound server.
public struct NullOutputProvider: OutputProvider {
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - clock: the clock by which the sinks take audio.
    ///   - isThreaded: whether the sinks have a thread. Without threads, the caller steps the sinks by `ClockedSink.step`.
    public init(clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.clock = clock
        self.isThreaded = isThreaded
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink of the type `ClockedSink`, which the caller can step.
    public func makeClockedSink() -> ClockedSink {
        ClockedSink(OutputDescription(kind: "null", id: "", name: "No sound"), clock: clock, recorder: nil, isThreaded: isThreaded)
    }
}
