/// Makes outputs that write their audio to a WAV file, in real time.
///
/// The first stream creates or overwrites the file, and following streams of the same format are appended. A stream of another format begins another
/// file in the same folder: `name-2.wav`, `name-3.wav`, … So does a stream that would exceed WAV's maximum of 4 GiB. A file is complete and its
/// header valid at all times. Volume and mute are applied, with ramps of 5 ms.
public struct FileOutputProvider: OutputProvider {
    private let recorder: WaveRecorder
    private let path: String
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - path: the path of the file, which is created or overwritten when the first stream opens.
    ///   - encoding: the encoding of the samples.
    ///   - clock: the clock of the sinks.
    ///   - isThreaded: whether the sinks have a thread. Otherwise the caller steps them by `ClockedSink.step`.
    public init(path: String, encoding: WaveEncoding = .int16, clock: any HostClock = MonotonicClock(), isThreaded: Bool = true) {
        self.path = path
        self.clock = clock
        self.isThreaded = isThreaded
        recorder = WaveRecorder(path: path, encoding: encoding)
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink, as a type that the caller can step.
    public func makeClockedSink() -> ClockedSink {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return ClockedSink(OutputDescription(kind: "file", id: path, name: name), clock: clock, recorder: recorder, isThreaded: isThreaded)
    }
}
