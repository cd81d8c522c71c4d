import Glibc
import PlaybackEngine
import Synchronization

extension RenderCommand {
    /// The destination of a rendering. The file is created when the first block arrives, because only then its format is known.
    ///
    /// `@unchecked Sendable`: only the rendering thread uses `encoding` and `error`. `discard` may use the writer from any thread, so the writer is
    /// locked.
    final class Output: @unchecked Sendable {
        private let destination: WaveWriter.Destination
        /// The name for messages.
        let name: String
        private(set) var encoding = WaveEncoding.float32
        /// The error of the last `take` that returned false.
        private(set) var error: PlaybackError?
        private let writer = Mutex<WaveWriter?>(nil)

        init(_ options: RenderOptions) {
            switch options.output {
            case .file(let path): (destination, name) = (.file(path: path), path)
            case .standardOutput, nil: (destination, name) = (.stream(descriptor: STDOUT_FILENO), "standard output")
            }
        }

        /// Sets the encoding of the samples, before the first block.
        func use(_ encoding: WaveEncoding) { self.encoding = encoding }

        /// Writes samples. Returns false after an error, which `error` then contains.
        func take(_ samples: UnsafeBufferPointer<Float>, _ format: AudioFormat) -> Bool {
            do throws(PlaybackError) {
                if let writer = writer.withLock({ $0 }) {
                    try writer.append(samples)
                } else {
                    let made = try WaveWriter(to: destination, format: format, encoding: encoding)
                    writer.withLock { $0 = made }
                    try made.append(samples)
                }
                return true
            } catch {
                self.error = error
                return false
            }
        }

        func finish() throws(PlaybackError) { try writer.withLock { $0 }?.finish() }
        func discard() { writer.withLock { $0 }?.discard() }
    }
}
