import Glibc
import Platform
import CLinux
import RemoteControl
import Synchronization

/// Messages to the stream loop. The mailbox outlives the loop, because a waker may be called after the loop has ended.
final class LoopMailbox: Sendable {
    /// A socket from libmicrohttpd, whose descriptor the loop then owns.
    struct Arrival: Sendable {
        enum Purpose: Sendable {
            /// The loop sends the head, and then the stream.
            case events(any EventStream, head: [UInt8])
            /// The loop sends these last bytes, and discards the bytes that the client still sends.
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

    /// An eventfd, which is readable while messages wait.
    let signalDescriptor: Int32
    private let content = Mutex(Content())
    /// Whether the loop was signalled since the last `collect`, so that any number of wakes needs one system call.
    private let isSignalled = Atomic(false)
    private let everyone = Atomic(false)

    /// Creates an empty mailbox. Throws if the system has no eventfd.
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
        // After the stop no thread would collect the waker, which refers to the mailbox: both would stay in memory.
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

    /// Wakes the loop, even if no message waits.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // If the counter of the eventfd is full, the eventfd is readable anyway.
        _ = write(signalDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Resets the eventfd. Called on the loop's thread.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(signalDescriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Removes and returns all messages. Called on the loop's thread.
    func collect() -> Content {
        // The flag is reset first, so that a message that arrives meanwhile signals again.
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

/// Wakes the loop for one stream. The stream may retain its waker without a cycle, because the waker refers only to the mailbox.
final class StreamWaker: Sendable {
    private let mailbox: LoopMailbox
    /// Whether the waker is in the mailbox, so that many wakes cause only one read.
    private let isWaiting = Atomic(false)
    /// The index of the stream in the loop's list, or -1; used only on the loop's thread.
    let position = Atomic(-1)

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    /// Wakes the loop. Any thread may call it, also with locks held: only the mailbox's lock is taken. Further calls have no effect until `lower`.
    func wake() {
        if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { mailbox.wake(self) }
    }

    /// Called before the stream is read, so that later data wakes the loop again.
    func lower() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}
