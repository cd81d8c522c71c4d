/// Makes outputs that play to nobody, in real time: what remains on a machine without sound.
public struct NullOutputProvider: OutputProvider {
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - clock: tells the time.
    ///   - isThreaded: false where the caller drives the sinks by `ClockedSink.step`.
    public init(clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.clock = clock
        self.isThreaded = isThreaded
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// The same, for those who drive it.
    public func makeClockedSink() -> ClockedSink {
        ClockedSink(OutputDescription(kind: "null", id: "", name: "No sound"), clock: clock, recorder: nil, isThreaded: isThreaded)
    }
}
