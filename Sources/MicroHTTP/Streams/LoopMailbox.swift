import Glibc
import Platform
import CLinux
import RemoteControl
import Synchronization

/// The messages from other threads to the stream loop (`StreamLoop`). The mailbox lives longer than the loop, so that late calls of a waker are
/// harmless.
final class LoopMailbox: Sendable {
    /// A socket that libmicrohttpd passes to the stream loop. The loop then owns the descriptor.
    struct Arrival: Sendable {
        enum Purpose: Sendable {
            /// Send the head of an answer, and then events from the stream.
            case events(any EventStream, head: [UInt8])
            /// Send the last bytes of a connection on which the client may still be sending.
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

    /// The descriptor of an eventfd, which is readable while messages are waiting.
    let signalDescriptor: Int32
    private let content = Mutex(Content())
    /// Whether the eventfd was signalled since the last `collect`, so that any number of wakes needs only one system call.
    private let isSignalled = Atomic(false)
    private let everyone = Atomic(false)

    /// Creates an empty mailbox.
    /// - Throws: `ServerError.system` if the system provides no eventfd.
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
        // After `stop` no thread collects the wakers, so they must not be stored. They refer to the mailbox, so stored wakers would be a retain
        // cycle.
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

    /// Wakes the stream loop, even if no message is waiting.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // The write fails only if the counter of the eventfd is full. Then the eventfd is readable anyway.
        _ = write(signalDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Resets the eventfd after it became readable. Must be called on the loop's thread.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(signalDescriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Returns all waiting messages and removes them from the mailbox. Must be called on the loop's thread.
    func collect() -> Content {
        // Reset the flag before the content is read, so that a message that arrives in between signals again.
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

/// Wakes one stream. The stream may retain its waker without a cycle, because the waker refers to the mailbox and not to the stream.
final class StreamWaker: Sendable {
    private let mailbox: LoopMailbox
    /// Whether this waker is in the mailbox, so that many wakes cause only one read.
    private let isWaiting = Atomic(false)
    /// The index of the stream's socket in the loop's list; -1 if the list does not contain the socket. Used only on the loop's thread.
    let position = Atomic(-1)

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    func wake() {
        if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { mailbox.wake(self) }
    }

    /// Permits the next wake. The loop calls this function before it reads the stream, so that data that becomes available later wakes the loop
    /// again.
    func lower() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}
