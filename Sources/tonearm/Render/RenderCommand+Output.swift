import Glibc
import PlaybackEngine
import Synchronization

extension RenderCommand {
    /// A WAV file or standard output, created with the first block of audio, because the format is not known earlier.
    ///
    /// `@unchecked Sendable`: only the rendering thread uses `encoding` and `error`; a lock protects the writer, which `discard` uses on any thread.
    final class Output: @unchecked Sendable {
        private let destination: WaveWriter.Destination
        private let dither: Dither
        let name: String
        private(set) var encoding = WaveEncoding.float32
        /// Of the last failed `take`.
        private(set) var error: PlaybackError?
        private let file = Mutex(File())

        private struct File {
            var writer: WaveWriter?
            /// No file is created afterwards.
            var isDiscarded = false
        }

        init(_ options: RenderOptions, dither: Dither = .tpdf) {
            self.dither = dither
            switch options.output {
            case .file(let path): (destination, name) = (.file(path: path), path)
            case .standardOutput, nil: (destination, name) = (.stream(descriptor: STDOUT_FILENO), "standard output")
            }
        }

        /// Before the first block.
        func use(_ encoding: WaveEncoding) { self.encoding = encoding }

        /// False after an `error`, and after `discard`.
        func take(_ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat) -> Bool {
            do throws(PlaybackError) {
                // So that `discard` cannot miss a file.
                let writer = try file.withLock { file throws(PlaybackError) -> WaveWriter? in
                    if file.writer == nil, !file.isDiscarded {
                        file.writer = try WaveWriter(to: destination, format: format, encoding: encoding, dither: dither)
                    }
                    return file.writer
                }
                try writer?.append(samples)
                return writer != nil
            } catch {
                self.error = error
                return false
            }
        }

        func finish() throws(PlaybackError) { try file.withLock { $0.writer }?.finish() }

        func discard() {
            file.withLock { file in
                file.isDiscarded = true
                file.writer?.discard()
            }
        }
    }
}
