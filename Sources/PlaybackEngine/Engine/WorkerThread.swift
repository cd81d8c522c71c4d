import CLinux
import Glibc
import Synchronization

/// A named thread that runs one function and ends with it. The only place that creates threads.
///
/// It takes no signals that are sent to the process: those belong to the main thread.
public final class WorkerThread: Sendable {
    private let thread: pthread_t
    private let isJoined = Mutex(false)

    /// Starts the thread.
    ///
    /// - Parameters:
    ///   - name: what `ps` and debuggers show; the kernel keeps its first 15 bytes.
    ///   - body: everything that the thread does. It is kept until it returns.
    public init(name: String, body: @escaping @Sendable () -> Void) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        var former = sigset_t()
        var blocked = WorkerThread.processSignals
        pthread_sigmask(SIG_SETMASK, &blocked, &former)
        let code = pthread_create(&thread, nil, runWorkerThread, start.toOpaque())
        pthread_sigmask(SIG_SETMASK, &former, nil)
        precondition(code == 0, "no thread can be created (\(code)): the process has reached a limit that it cannot work under")
        self.thread = thread
    }

    /// Waits until `body` has returned. Idempotent; from any thread but this one, one at a time.
    public func join() {
        let mustJoin = isJoined.withLock { isJoined in
            defer { isJoined = true }
            return !isJoined
        }
        guard mustJoin else { return }
        precondition(pthread_equal(thread, pthread_self()) == 0, "a thread cannot wait for itself")
        pthread_join(thread, nil)
    }

    deinit {
        // Nobody waits any more: the system may reclaim the thread when it ends.
        if !isJoined.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// All signals, except those that an instruction of the thread itself causes: a debugger or a crash report wants them.
    private static var processSignals: sigset_t {
        var set = sigset_t()
        sigfillset(&set)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGPROF] { sigdelset(&set, signal) }
        return set
    }
}

/// What a new thread needs to begin.
private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runWorkerThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    _ = CLinux_setCurrentThreadName(String(decoding: start.name.utf8.prefix(15), as: UTF8.self))
    start.body()
    return nil
}
