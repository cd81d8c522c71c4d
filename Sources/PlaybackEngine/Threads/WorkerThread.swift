import CLinux
import Glibc
import Synchronization

/// A named thread that runs one function and ends with it. The only place that creates threads.
///
/// It takes no signals that are sent to the process: those belong to the main thread.
public final class WorkerThread: Sendable {
    /// Makes a thread for work whose amount comes from outside; in tests, fails to.
    package typealias Maker = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(PlaybackError) -> WorkerThread
    package static let make: Maker = { name, body throws(PlaybackError) in try WorkerThread(starting: name, body: body) }

    private let thread: pthread_t
    private let isJoined = Mutex(false)

    /// Starts a thread that the program cannot do without, and of which its own code decides how many there are. Where the system gives none, this ends the
    /// program.
    ///
    /// - Parameters:
    ///   - name: what `ps` and debuggers show; the kernel keeps its first 15 bytes.
    ///   - body: everything that the thread does. It is kept until it returns.
    public convenience init(name: String, body: @escaping @Sendable () -> Void) {
        do throws(PlaybackError) { try self.init(starting: name, body: body) } catch {
            fatalError("the thread \"\(name)\" cannot be started: \(error)")
        }
    }

    /// Starts a thread for work whose amount comes from outside.
    ///
    /// - Parameters:
    ///   - name: what `ps` and debuggers show; the kernel keeps its first 15 bytes.
    ///   - stackSize: bytes; nil for the system's own.
    ///   - body: everything that the thread does. It is kept until it returns.
    /// - Throws: `busy` where the system gives no thread; `body` is released then.
    public init(starting name: String, stackSize: Int? = nil, body: @escaping @Sendable () -> Void) throws(PlaybackError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        var code = stackSize.map { pthread_attr_setstacksize(&attributes, $0) } ?? 0
        let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
        var thread = pthread_t()
        if code == 0 {
            var former = sigset_t()
            var blocked = WorkerThread.processSignals
            pthread_sigmask(SIG_SETMASK, &blocked, &former)
            code = pthread_create(&thread, &attributes, runWorkerThread, start.toOpaque())
            pthread_sigmask(SIG_SETMASK, &former, nil)
        }
        guard code == 0 else {
            start.release()
            let underlying = PlaybackError.Underlying(domain: "POSIX", code: Int(code), message: String(cString: strerror(code)))
            throw PlaybackError(.busy, "The system could not create another thread.", underlying: underlying)
        }
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
