import Glibc
import PlaybackEngine
import Synchronization

extension RenderCommand {
    /// Where a rendering goes. The file is made when the first sound comes, so that its format is known.
    ///
    /// `@unchecked Sendable`: `encoding` and `error` are used by the thread that renders alone; the writer, which `discard` reaches from any, is behind a lock.
    final class Output: @unchecked Sendable {
        private let destination: WaveWriter.Destination
        /// As a person calls it.
        let name: String
        var encoding = WaveEncoding.float32
        /// Why it refused.
        private(set) var error: PlaybackError?
        private let writer = Mutex<WaveWriter?>(nil)

        init(_ options: RenderOptions) {
            switch options.output {
            case .file(let path): (destination, name) = (.file(path: path), path)
            case .standardOutput, nil: (destination, name) = (.stream(descriptor: STDOUT_FILENO), "standard output")
            }
        }

        /// False where it refuses.
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
