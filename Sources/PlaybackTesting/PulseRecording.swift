import Glibc
public import Platform
import PlaybackEngine
import Synchronization

/// The recording of a pipe sink: interleaved samples of any width, with the times at which they arrived.
public final class PulseRecording: Sendable {
    /// The number of frames that had arrived at a host time.
    public struct Stamp: Sendable {
        public var frameCount: Int
        public var time: HostTime
    }

    public let channelCount: Int
    private let bytesPerSample: Int
    private let isFloat: Bool
    private let store: RecordingStore
    private let reader: WorkerThread

    /// Records until the server, which must have opened its end of the pipe, closes it. Also records to a file if evidence is kept (`TestEvidence`).
    public init(fifo: String, sampleRate: Int, channelCount: Int, bytesPerSample: Int = 2, isFloat: Bool = false) throws {
        let descriptor = Glibc.open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivatePulseServer.Failure(description: "the pipe cannot be opened") }
        _ = fcntl(descriptor, F_SETFL, 0)
        // The pipe gets its maximum size (1031 is F_SETPIPE_SZ), so that a delayed reader loses nothing.
        _ = fcntl(descriptor, 1031, 1 << 20)
        let store = RecordingStore(bytesPerFrame: channelCount * bytesPerSample)
        self.channelCount = channelCount
        self.bytesPerSample = bytesPerSample
        self.isFloat = isFloat
        self.store = store
        // The samples have no header; the name states their format as `ffplay -f` expects it.
        let format = "\(isFloat ? "f" : "s")\(8 * bytesPerSample)le"
        let path = TestEvidence.newFile("recording-\(sampleRate)-\(channelCount)", extension: format)
        reader = WorkerThread(name: "recording") {
            let file = path.map { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) } ?? -1
            store.read(from: descriptor, into: file)
            if file >= 0 { close(file) }
        }
    }

    public var frameCount: Int { store.contents.withLock { $0.bytes.count } / store.bytesPerFrame }

    public func bytes(from frame: Int = 0) -> [UInt8] { values(from: frame) }
    /// The interleaved samples from a frame on, of a recording with 16 bits.
    public func samples(from frame: Int = 0) -> [Int16] { values(from: frame) }
    /// The largest magnitude of the samples from a frame on, of a recording with 16 bits.
    public func peak(from frame: Int = 0) -> Int { samples(from: frame).reduce(0) { max($0, abs(Int($1))) } }

    /// The samples of each channel from a frame on, as integers of 32 bits. Floats of 24 bits become exact.
    public func channels(from frame: Int = 0) -> [[Int32]] {
        let bytes = bytes(from: frame)
        let frameCount = bytes.count / store.bytesPerFrame
        return bytes.withUnsafeBytes { bytes in
            (0..<channelCount).map { channel in
                (0..<frameCount).map { frame in sample(in: bytes, at: (frame * channelCount + channel) * bytesPerSample) }
            }
        }
    }

    private func sample(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int32 {
        switch bytesPerSample {
        case 2: Int32(bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self)) << 16
        case 3: Int32(bytes[offset]) << 8 | Int32(bytes[offset + 1]) << 16 | Int32(bitPattern: UInt32(bytes[offset + 2]) << 24)
        case _ where isFloat: Int32(clamping: Int64((Double(bytes.loadUnaligned(fromByteOffset: offset, as: Float.self)) * 0x1p31).rounded()))
        default: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)
        }
    }

    private func values<Value: BitwiseCopyable>(from frame: Int) -> [Value] {
        store.contents.withLock { contents in
            contents.bytes.withUnsafeBytes { bytes in
                let start = min(frame * store.bytesPerFrame, bytes.count)
                let end = bytes.count / store.bytesPerFrame * store.bytesPerFrame
                return start < end ? Array(UnsafeRawBufferPointer(rebasing: bytes[start..<end]).bindMemory(to: Value.self)) : []
            }
        }
    }

    /// The stamps in order. The copy has storage of its own, because ThreadSanitizer does not see the reference counts of shared arrays.
    public var stamps: [Stamp] { store.contents.withLock { contents in contents.stamps.map { $0 } } }

    /// Waits for a number of frames. Returns false after the time limit or the server's end.
    public func wait(forFrameCount count: Int, seconds: Double = 60) -> Bool { wait(seconds: seconds) { $0.frameCount >= count } }

    /// Waits for a condition, which is checked after each block; returns false after the time limit or the server's end. Only one thread may wait.
    public func wait(seconds: Double = 60, until condition: (PulseRecording) -> Bool) -> Bool {
        let deadline = MonotonicClock().now + seconds
        while !condition(self) {
            guard MonotonicClock().now < deadline, store.contents.withLock({ !$0.isOver }), store.arrived.wait(until: deadline) else {
                return condition(self)
            }
        }
        return true
    }

    /// Waits until at least `count` further frames have been recorded and the last `count` frames are silent. Returns false if the time limit passes
    /// or the server ends first.
    ///
    /// The program reports an end by its own clock. If the device or the recording is late at that moment, a number of further frames does not show
    /// that all audio has arrived.
    public func waitForSilence(of count: Int) -> Bool {
        let start = frameCount
        return wait { recording in
            let end = recording.frameCount
            return end >= start + count && recording.bytes(from: end - count).allSatisfy { $0 == 0 }
        }
    }

    /// Waits for the reading thread, after the server has closed its end.
    func finish() { reader.join() }
}

/// The recorded bytes and their stamps; only the reading thread adds to them.
private final class RecordingStore: Sendable {
    struct Contents {
        var bytes: [UInt8] = []
        var stamps: [PulseRecording.Stamp] = []
        var isOver = false
    }

    private static let fileLimit = 100 << 20

    let bytesPerFrame: Int
    let contents = Mutex(Contents())
    let arrived = WakeSignal()

    init(bytesPerFrame: Int) { self.bytesPerFrame = bytesPerFrame }

    /// - Parameter file: A file that gets at most `fileLimit` bytes too; negative for none. A write that fails does not fail the test.
    func read(from descriptor: Int32, into file: Int32) {
        let clock = MonotonicClock()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let time = clock.now
            let size = contents.withLock {
                $0.bytes.append(contentsOf: buffer[..<count])
                $0.stamps.append(PulseRecording.Stamp(frameCount: $0.bytes.count / bytesPerFrame, time: time))
                return $0.bytes.count
            }
            arrived.raise()
            if file >= 0, size <= Self.fileLimit { _ = write(file, buffer, count) }
        }
        close(descriptor)
        contents.withLock { $0.isOver = true }
        arrived.raise()
    }
}
