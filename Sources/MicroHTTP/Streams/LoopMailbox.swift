import Glibc
import CLinux
import RemoteControl
import Synchronization

/// What other threads tell the stream loop. It outlives the loop: a waker that is called late finds it, and nothing happens.
final class LoopMailbox: Sendable {
    /// A socket that leaves libmicrohttpd and goes on in the loop. The descriptor is the loop's from here on.
    struct Arrival: Sendable {
        enum Purpose: Sendable {
            /// The head of an answer, and the events that follow it.
            case events(any EventStream, head: [UInt8])
            /// The last bytes of a connection that the client may still be sending on.
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

    /// Readable while something waits here.
    let signalDescriptor: Int32
    private let content = Mutex(Content())
    /// Whether the descriptor has been raised and not yet been read: one system call for any number of wakes.
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
        // After the end nobody collects: what lay here would keep the mailbox, which it knows, for ever.
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

    /// Makes the loop look up, even where nothing is here for it.
    func signal() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        var one: UInt64 = 1
        // It can fail only where the counter is full, and then the descriptor is readable as it is.
        _ = write(signalDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    /// Takes back the signal, where the descriptor has become readable. For the loop's thread.
    func acknowledge() {
        var count: UInt64 = 0
        _ = read(signalDescriptor, &count, MemoryLayout<UInt64>.size)
    }

    /// Takes everything that waits. For the loop's thread.
    func collect() -> Content {
        // Lowered before the content is taken: what comes in between signals again.
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

/// Wakes one stream. The stream may keep it: it knows the loop's mailbox, not the stream.
final class StreamWaker: Sendable {
    private let mailbox: LoopMailbox
    /// Whether it is in the mailbox: a stream that is woken a hundred times is read once.
    private let isWaiting = Atomic(false)
    /// Where the stream is in the loop's list; -1 where it is not. For the loop's thread alone.
    let position = Atomic(-1)

    init(_ mailbox: LoopMailbox) { self.mailbox = mailbox }

    func wake() {
        if !isWaiting.exchange(true, ordering: .acquiringAndReleasing) { mailbox.wake(self) }
    }

    /// Called by the loop before it reads the stream: what becomes available from here on wakes again.
    func lower() { isWaiting.store(false, ordering: .sequentiallyConsistent) }
}
