import Glibc
import Platform
import CLinux
import RemoteControl
import Synchronization

/// The messages from other threads to the stream loop (`StreamLoop`). The mailbox lives longer than the loop, so that a waker may still be called
/// after the loop has ended.
final class LoopMailbox: Sendable {
    /// A client's socket that libmicrohttpd passes to the stream loop. After its arrival the stream loop owns the socket's descriptor.
    struct Arrival: Sendable {
        enum Purpose: Sendable {
            /// Send the head of an HTTP answer on the socket, and then events from the stream.
            case events(any EventStream, head: [UInt8])
            /// Send the last bytes of a connection, and discard what the client still sends.
            case farewell([UInt8])
        }
        let descriptor: Int32
        let pass: ConnectionPass
        let purpose: Purpose
    }

    struct Content: Sendable {
        var arrivals: [Arrival] = []
        var woken: [StreamWaker] = []
        var everyone = false
        var stop = false
    }

    /// The descriptor of an eventfd, which is readable while messages for the stream loop are waiting.
    let signalDescriptor: Int32
    private let content = Mutex(Content())
    /// Whether the eventfd of the mailbox was signalled since the last `collect`, so that any number of wakes needs only one system call.
    private let isSignalled = Atomic(false)
    private let everyone = Atomic(false)

    /// Creates an empty mailbox for the stream loop.
    /// - Throws: `ServerError.system` if the system provides no eventfd for the mailbox.
    init() throws(ServerError) {
        signalDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard signalDescriptor >= 0 else { throw .system(SystemError(operation: "eventfd", code: errno)) }
    }

    deinit { Glibc.close(signalDescriptor) }

    func hand(over arrival: Arrival) {
        content.withLock { $0.arrivals.append(arrival) }
        signal()
    }

    func wake(_ waker: StreamWaker) {
        // After `stop` no thread collects the wakers, so they must not be stored: a waker refers to the mailbox, and both would stay in memory for
        // ever.
        content.withLock { if !$0.stop { $0.woken.append(waker) } }
        signal()
    }

    func wakeEveryone() {
        everyone.store(true, ordering: .releasing)
        signal()
    }

    func stop() {
        content.withLock { $0.stop = true }
        signal()
    }

    /// Wakes the stream loop, even if no message for it is waiting.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // The write fails only if the counter of the eventfd is full; then the eventfd is readable anyway.
        _ = write(signalDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Resets the eventfd of the mailbox after it became readable. `LoopMailbox.acknowledge` must be called on the stream loop's thread.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(signalDescriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Returns all waiting messages for the stream loop and removes them from the mailbox. `LoopMailbox.collect` must be called on the stream loop's
    /// thread.
    func collect() -> Content {
        // The flag is reset before the messages are read, so that a message that arrives in between signals again.
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
        let all = everyone.exchange(false, ordering: .acquiringAndReleasing)
        return content.withLock {
            var taken = $0
            taken.everyone = all
            $0.arrivals = []
            $0.woken = []
            return taken
        }
    }
}

/// Wakes one event stream, so that the stream loop reads its data. An event stream may retain its waker without a cycle, because the waker refers to
/// the mailbox and not to the stream.
final class StreamWaker: Sendable {
    private let mailbox: LoopMailbox
    /// Whether the waker is already in the mailbox. It is not added twice, so that many wakes cause only one read.
    private let isWaiting = Atomic(false)
    /// The index of the stream's socket in the stream loop's list; -1 if the list does not contain it. Used only on the stream loop's thread.
    let position = Atomic(-1)

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    /// Makes the stream loop read this stream. Any thread may call `wake`, also while it holds locks, because `wake` takes only the lock of the
    /// mailbox and does not call the stream. Further calls have no effect until the loop calls `lower`.
    func wake() {
        if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { mailbox.wake(self) }
    }

    /// Permits the next wake. The stream loop calls `lower` before it reads the stream, so that data that becomes available later wakes the loop
    /// again.
    func lower() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}
