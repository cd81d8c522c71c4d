import Synchronization

/// Writes the WAV files of one output; a new file begins if the format changes, and after a failure, because a recording with a gap is none.
final class WaveRecorder: FrameRecorder {
    private struct State: ~Copyable {
        var file: WaveFile?
        var fileCount = 0
    }

    private let path: String
    private let encoding: WaveEncoding
    private let dither: Dither
    private let state = Mutex(State())

    init(path: String, encoding: WaveEncoding, dither: Dither = .tpdf) {
        self.path = path
        self.encoding = encoding
        self.dither = dither
    }

    func begin(_ format: AudioFormat) throws(PlaybackError) {
        try state.withLock { state throws(PlaybackError) in
            if state.file?.format == format { return }
            state.file = nil
            let name = Self.path(path, number: state.fileCount + 1)
            try FileDescriptor.checkOverwriting(name)
            state.file = try WaveFile(path: name, format: format, encoding: encoding, dither: dither)
            state.fileCount += 1
        }
    }

    func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        try state.withLock { state throws(PlaybackError) -> Void in
            do throws(PlaybackError) { try state.file?.append(samples) } catch {
                state.file = nil
                throw error
            }
        }
    }

    func device(for format: AudioFormat) -> DeviceFormat? {
        DeviceFormat(
            sampleRate: format.sampleRate, channels: format.channelCount, bitsPerSample: encoding == .float32 ? 24 : encoding.bytesPerSample * 8,
            dither: encoding.takesDither ? dither : .none)
    }

    /// Nothing is left to do: the file is valid after each `append`.
    func end() {}

    /// The path of a file by its number: `name.wav`, `name-2.wav`, `name-3.wav`, …
    static func path(_ path: String, number: Int) -> String {
        guard number > 1 else { return path }
        let nameStart = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        guard let dot = path[nameStart...].lastIndex(of: "."), dot > nameStart else { return "\(path)-\(number)" }
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }
}
