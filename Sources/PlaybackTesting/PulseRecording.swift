import Glibc
public import Platform
import PlaybackEngine
import Synchronization

/// The recorded output of a pipe sink: 16-bit samples, interleaved, with the time of arrival of each block.
public final class PulseRecording: Sendable {
    /// The number of frames that had arrived at a host time.
    public struct Stamp: Sendable {
        public var frameCount: Int
        public var time: HostTime
    }

    public let channelCount: Int
    private let store: RecordingStore
    private let reader: WorkerThread

    /// Records from a pipe whose other end the server has opened, until the server closes it.
    init(fifo: String, channelCount: Int) throws {
        let descriptor = Glibc.open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivatePulseServer.Failure(description: "the pipe cannot be opened") }
        _ = fcntl(descriptor, F_SETFL, 0)
        // The maximum size (F_SETPIPE_SZ): a delayed reader must not make the server drop audio.
        _ = fcntl(descriptor, 1031, 1 << 20)
        let store = RecordingStore(bytesPerFrame: channelCount * MemoryLayout<Int16>.stride)
        self.channelCount = channelCount
        self.store = store
        reader = WorkerThread(name: "recording") { store.read(from: descriptor) }
    }

    /// The number of frames recorded so far.
    public var frameCount: Int { store.contents.withLock { $0.bytes.count } / store.bytesPerFrame }

    /// Returns the samples of the frames from `frame` on.
    public func samples(from frame: Int = 0) -> [Int16] {
        store.contents.withLock { contents in
            contents.bytes.withUnsafeBytes { bytes in
                let start = min(frame * store.bytesPerFrame, bytes.count)
                let end = bytes.count / store.bytesPerFrame * store.bytesPerFrame
                return start < end ? Array(UnsafeRawBufferPointer(rebasing: bytes[start..<end]).bindMemory(to: Int16.self)) : []
            }
        }
    }

    /// The arrival times of the blocks.
    public var stamps: [Stamp] { store.contents.withLock { $0.stamps } }

    /// Waits until a number of frames has been recorded. Returns false after the timeout, or if the server ended first.
    public func wait(forFrameCount count: Int, seconds: Double = 20) -> Bool { wait(seconds: seconds) { $0.frameCount >= count } }

    /// Waits until `condition` is met. It is checked after each arrival. Returns false after the timeout, or if the server ended first. Only one
    /// thread may wait.
    public func wait(seconds: Double = 20, until condition: (PulseRecording) -> Bool) -> Bool {
        let deadline = MonotonicClock().now + seconds
        while !condition(self) {
            guard MonotonicClock().now < deadline, store.contents.withLock({ !$0.isOver }), store.arrived.wait(until: deadline) else {
                return condition(self)
            }
        }
        return true
    }

    /// Waits until the server has closed its end.
    func finish() { reader.join() }
}

/// The data that the reading thread writes.
private final class RecordingStore: Sendable {
    struct Contents {
        var bytes: [UInt8] = []
        var stamps: [PulseRecording.Stamp] = []
        var isOver = false
    }

    let bytesPerFrame: Int
    let contents = Mutex(Contents())
    let arrived = WakeSignal()

    init(bytesPerFrame: Int) { self.bytesPerFrame = bytesPerFrame }

    func read(from descriptor: Int32) {
        let clock = MonotonicClock()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            let time = clock.now
            contents.withLock {
                $0.bytes.append(contentsOf: buffer[..<count])
                $0.stamps.append(PulseRecording.Stamp(frameCount: $0.bytes.count / bytesPerFrame, time: time))
            }
            arrived.raise()
        }
        close(descriptor)
        contents.withLock { $0.isOver = true }
        arrived.raise()
    }
}
