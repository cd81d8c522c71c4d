import Glibc
import CLinux
import RemoteControl
import Synchronization

/// Messages from other threads to the stream loop. It outlives the loop, so that late calls of a waker are harmless.
final class LoopMailbox: Sendable {
    /// A socket that libmicrohttpd passes to the loop, which then owns the descriptor.
    struct Arrival: Sendable {
        enum Purpose: Sendable {
            /// An answer's head, followed by events.
            case events(any EventStream, head: [UInt8])
            /// The last bytes of a connection on which the client may still be sending.
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

    /// An eventfd that is readable while messages are waiting.
    let signalDescriptor: Int32
    private let content = Mutex(Content())
    /// Whether the descriptor was signalled since the last `collect`, so that any number of wakes costs one system call.
    private let isSignalled = Atomic(false)
    private let everyone = Atomic(false)

    /// - Throws: `ServerError.system`.
    init() throws(ServerError) {
        signalDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard signalDescriptor >= 0 else { throw .system(operation: "eventfd", code: errno) }
    }

    deinit { Glibc.close(signalDescriptor) }

    func hand(over arrival: Arrival) {
        content.withLock { $0.arrivals.append(arrival) }
        signal()
    }

    func wake(_ waker: StreamWaker) {
        // After `stop` nothing collects the wakers. They refer to the mailbox, so storing them would be a retain cycle.
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

    /// Wakes the loop, even if no message is waiting.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // The write fails only if the counter is full, and then the descriptor is readable anyway.
        _ = write(signalDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Resets the descriptor after it became readable. For the loop's thread.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(signalDescriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Returns and removes all waiting messages. For the loop's thread.
    func collect() -> Content {
        // Reset before the content is read, so that a message that arrives in between signals again.
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

/// Wakes one stream. The stream may retain it, because it refers to the loop's mailbox and not to the stream.
final class StreamWaker: Sendable {
    private let mailbox: LoopMailbox
    /// Whether it is in the mailbox, so that many wakes cause one read.
    private let isWaiting = Atomic(false)
    /// The stream's index in the loop's list; -1 if it is not there. For the loop's thread alone.
    let position = Atomic(-1)

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    func wake() {
        if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { mailbox.wake(self) }
    }

    /// Called by the loop before it reads the stream, so that data that becomes available later wakes it again.
    func lower() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}
