public import Platform

/// Makes sinks of one output.
public protocol OutputProvider: Sendable {
    /// Makes a new sink, which is closed.
    func makeSink() -> any AudioSink
}

/// An output that discards its audio in real time, on a machine without a sound server.
public struct NullOutputProvider: OutputProvider {
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameter isThreaded: Whether the sinks have threads. Without them, the caller steps the sinks (`ClockedSink.step`).
    public init(clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.clock = clock
        self.isThreaded = isThreaded
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink for a caller that steps it.
    public func makeClockedSink() -> ClockedSink {
        ClockedSink(OutputDescription(kind: "null", id: "", name: "No sound"), clock: clock, recorder: nil, isThreaded: isThreaded)
    }
}

/// An output that writes its audio to a WAV file, in real time. The first stream creates or overwrites the file, and following ones of the same
/// format are appended; another format, and a stream after a failure, begins `name-2.wav`, `name-3.wav`, … The headers are valid at all times, and RF64
/// beyond 4 GB. Volume and mute are applied, with ramps of 40 ms.
public struct FileOutputProvider: OutputProvider {
    private let recorder: WaveRecorder
    private let path: String
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - path: The file, which is created or overwritten when the first stream opens.
    ///   - dither: The dither for samples that 16 bits cannot represent.
    ///   - isThreaded: Whether the sinks have threads. Without them, the caller steps the sinks (`ClockedSink.step`).
    public init(
        path: String, encoding: WaveEncoding = .int16, dither: Dither = .tpdf, clock: any HostClock = MonotonicClock(), isThreaded: Bool = true
    ) {
        self.path = path
        self.clock = clock
        self.isThreaded = isThreaded
        recorder = WaveRecorder(path: path, encoding: encoding, dither: dither)
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink for a caller that steps it.
    public func makeClockedSink() -> ClockedSink {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return ClockedSink(OutputDescription(kind: "file", id: path, name: name), clock: clock, recorder: recorder, isThreaded: isThreaded)
    }
}
