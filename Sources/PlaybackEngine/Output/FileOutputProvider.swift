/// Makes outputs that play into a WAV file, in real time.
///
/// The file is begun anew by the first stream, and streams of the same format that follow are appended. A stream of another format, or one that
/// would make the file longer than WAV allows (4 GiB), begins a further file, `name-2.wav`, `name-3.wav`, … beside it. What is in a file is
/// complete and its header right at all times. Volume and mute are applied, with ramps of 5 ms.
public struct FileOutputProvider: OutputProvider {
    private let recorder: WaveRecorder
    private let path: String
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - path: of the file; created or overwritten when the first stream opens.
    ///   - encoding: of the samples.
    ///   - clock: tells the time.
    ///   - isThreaded: false where the caller drives the sinks by `ClockedSink.step`.
    public init(path: String, encoding: WaveEncoding = .int16, clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.path = path
        self.clock = clock
        self.isThreaded = isThreaded
        recorder = WaveRecorder(path: path, encoding: encoding)
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// The same, for those who drive it.
    public func makeClockedSink() -> ClockedSink {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return ClockedSink(OutputDescription(kind: "file", id: path, name: name), clock: clock, recorder: recorder, isThreaded: isThreaded)
    }
}
