import Glibc
import Synchronization

/// Writes audio as WAV, to a stream or to a file, which gets its final name when it is complete, and is RF64 beyond 4 GB (EBU Tech 3306). The header
/// of a stream states an unknown length. One thread uses the writer; any thread may call `discard`.
public final class WaveWriter: Sendable {
    /// The place to which the audio is written.
    public enum Destination: Sendable, Hashable {
        /// A file; a pipe, a device or another special file is written as a stream.
        case file(path: String)
        /// An open stream, whose descriptor the caller closes.
        case stream(descriptor: Int32)
    }

    private struct State {
        var descriptor: Int32
        var dataBytes = 0
        var noise: DitherNoise?
        /// The path of the temporary file; nil for streams, and after `finish` or `discard`.
        var temporaryPath: String?
    }

    private let header: WaveHeader
    /// The path of the complete file; nil for streams.
    private let path: String?
    private let ownsDescriptor: Bool
    private let headerBytes: Int
    private let state: Mutex<State>

    /// For a regular file, creates a temporary file beside it, which `finish` renames. Throws `outputUnavailable`, with the POSIX error.
    public init(to destination: Destination, format: AudioFormat, encoding: WaveEncoding, dither: Dither = .tpdf) throws(PlaybackError) {
        header = WaveHeader(format: format, encoding: encoding)
        var opened: State
        switch destination {
        case .stream(let descriptor):
            (path, ownsDescriptor, opened) = (nil, false, State(descriptor: descriptor))
        case .file(let given):
            let target = Self.resolved(given)
            ownsDescriptor = true
            if Self.isSpecial(target) {
                let descriptor = Glibc.open(target, O_WRONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw .unwritable(errno) }
                (path, opened) = (nil, State(descriptor: descriptor))
            } else {
                try FileDescriptor.checkOverwriting(target)
                (path, opened) = (target, try Self.temporary(besides: target))
            }
        }
        if dither == .tpdf { opened.noise = DitherNoise(channelCount: format.channelCount) }
        let bytes = header.bytes(path == nil ? .unknown : .known(0))
        headerBytes = bytes.count
        state = Mutex(opened)
        do throws(PlaybackError) {
            try FileDescriptor.write(bytes, to: opened.descriptor)
        } catch {
            discard()
            throw error
        }
    }

    deinit { discard() }

    /// Appends interleaved samples. Throws `outputUnavailable`, for example if the disk is full; the writer is then unusable.
    public func append(_ samples: UnsafeBufferPointer<Float>) throws(PlaybackError) {
        let (descriptor, bytes) = state.withLock { ($0.descriptor, header.encoding.bytes(of: samples, noise: &$0.noise)) }
        guard descriptor >= 0 else { throw .unwritable(EBADF) }
        try FileDescriptor.write(bytes, to: descriptor)
        state.withLock { $0.dataBytes += bytes.count }
    }

    /// Gives a file its final name, in place of an existing one.
    public func finish() throws(PlaybackError) {
        defer { discard() }
        guard let path else { return }
        let (descriptor, dataBytes, temporary) = state.withLock { ($0.descriptor, $0.dataBytes, $0.temporaryPath) }
        guard descriptor >= 0, let temporary else { throw .unwritable(EBADF) }
        if dataBytes % 2 == 1 { try FileDescriptor.write([0], to: descriptor) }
        try FileDescriptor.write(header.bytes(.known(dataBytes)), to: descriptor, at: 0)
        // Some file systems report a full disk only when the file is closed.
        state.withLock { $0.descriptor = -1 }
        guard close(descriptor) == 0, rename(temporary, path) == 0 else { throw .unwritable(errno) }
        state.withLock { $0.temporaryPath = nil }
    }

    /// Removes an incomplete file; without effect after `finish`. May be called repeatedly, and on any thread.
    public func discard() {
        let (descriptor, temporary) = state.withLock { state in
            defer { (state.descriptor, state.temporaryPath) = (-1, nil) }
            return (state.descriptor, state.temporaryPath)
        }
        if let temporary { unlink(temporary) }
        if descriptor >= 0, ownsDescriptor { close(descriptor) }
    }

    // MARK: Names

    /// The path of a link's target, so that the target is replaced, and not the link.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func isSpecial(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG && status.st_mode & S_IFMT != S_IFDIR
    }

    /// Creates a temporary file in the folder of the final file, so that a rename is enough.
    private static func temporary(besides path: String) throws(PlaybackError) -> State {
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .unwritable(EISDIR) }
            if access(path, W_OK) != 0 { throw .unwritable(errno) }
        }
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        for number in 1...1000 {
            let name = "\(folder).tonearm-\(getpid())-\(number).part"
            let descriptor = Glibc.open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
            if descriptor >= 0 { return State(descriptor: descriptor, temporaryPath: name) }
            guard errno == EEXIST else { break }
        }
        throw .unwritable(errno)
    }
}
