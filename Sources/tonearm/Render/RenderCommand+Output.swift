import Glibc
import PlaybackEngine
import Synchronization

extension RenderCommand {
    /// The destination of a rendering: a WAV file or standard output. The file is created when the first block of audio arrives, because the format
    /// of the audio is not known earlier.
    ///
    /// `@unchecked Sendable`: only the rendering thread uses the properties `encoding` and `error`. Any thread may call `discard`, which uses the
    /// file's writer, so a lock protects the writer.
    final class Output: @unchecked Sendable {
        private let destination: WaveWriter.Destination
        private let dither: Dither
        /// The name of the rendering's destination, for messages.
        let name: String
        private(set) var encoding = WaveEncoding.float32
        /// The error of the last call of `take` that returned false; nil if every call succeeded.
        private(set) var error: PlaybackError?
        private let file = Mutex(File())

        private struct File {
            var writer: WaveWriter?
            /// Whether `discard` was called. No file is created after that.
            var isDiscarded = false
        }

        init(_ options: RenderOptions, dither: Dither = .tpdf) {
            self.dither = dither
            switch options.output {
            case .file(let path): (destination, name) = (.file(path: path), path)
            case .standardOutput, nil: (destination, name) = (.stream(descriptor: STDOUT_FILENO), "standard output")
            }
        }

        /// Sets the encoding of the rendered samples. The encoding must be set before the first block of rendered samples arrives.
        func use(_ encoding: WaveEncoding) { self.encoding = encoding }

        /// Writes rendered samples to the destination. Returns false if writing failed (`error` then contains the error), and after `discard`.
        func take(_ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat) -> Bool {
            do throws(PlaybackError) {
                // The lock is held while the file is created, so that `discard` cannot miss a file that exists already.
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
