public import Platform

/// Makes outputs that write their audio to a WAV file, in real time.
///
/// The first stream creates or overwrites the WAV file, and following streams of the same format are appended to the file. A stream of another format
/// begins another file in the same folder: `name-2.wav`, `name-3.wav`, … A stream that would exceed WAV's maximum of 4 GiB also begins another file.
/// The header of each WAV file is valid at all times. Volume and mute are applied to the written samples, with ramps of 40 ms.
public struct FileOutputProvider: OutputProvider {
    private let recorder: WaveRecorder
    private let path: String
    private let clock: any HostClock
    private let isThreaded: Bool

    /// - Parameters:
    ///   - path: the file that is created or overwritten when the first stream opens.
    ///   - encoding: the format of a sample in the WAV file.
    ///   - dither: the noise that is added to samples that 16 bits cannot represent.
    ///   - clock: the clock by which the sinks take audio.
    ///   - isThreaded: whether the sinks have a thread. Without threads, the caller steps the sinks by `ClockedSink.step`.
    public init(
        path: String, encoding: WaveEncoding = .int16, dither: Dither = .tpdf, clock: any HostClock = MonotonicClock(), isThreaded: Bool = true
    ) {
        self.path = path
        self.clock = clock
        self.isThreaded = isThreaded
        recorder = WaveRecorder(path: path, encoding: encoding, dither: dither)
    }

    public func makeSink() -> any AudioSink { makeClockedSink() }

    /// Makes a sink of the type `ClockedSink`, which the caller can step.
    public func makeClockedSink() -> ClockedSink {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return ClockedSink(OutputDescription(kind: "file", id: path, name: name), clock: clock, recorder: recorder, isThreaded: isThreaded)
    }
}
