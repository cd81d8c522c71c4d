import CLinux
import Glibc
import Synchronization

/// A named thread that runs one function. Apart from tests, only this class creates threads. It blocks the process's Unix signals, which the main
/// thread handles.
public final class WorkerThread: Sendable {
    /// A function that creates a thread like `init(starting:stackSize:body:)`; in tests, one that fails.
    package typealias Maker = @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> WorkerThread
    package static let make: Maker = { name, body throws(SystemError) in try WorkerThread(starting: name, body: body) }

    private let thread: pthread_t
    private let isJoined = Mutex(false)

    /// Starts a thread that the program needs; ends the program if the system refuses.
    /// - Parameters:
    ///   - name: The name in `ps` and debuggers; the kernel keeps 15 bytes.
    ///   - body: The function that the thread runs; retained until it returns.
    public convenience init(name: String, body: @escaping @Sendable () -> Void) {
        do throws(SystemError) { try self.init(starting: name, body: body) } catch {
            fatalError("the thread \"\(name)\" cannot be started: \(error)")
        }
    }

    /// Starts a thread; throws if the system refuses. For threads whose number others decide, for example clients.
    /// - Parameters:
    ///   - name: The name in `ps` and debuggers; the kernel keeps 15 bytes.
    ///   - stackSize: The size in bytes; nil for the system's default.
    ///   - body: The function that the thread runs; retained until it returns. After an error it is released without being called.
    public init(starting name: String, stackSize: Int? = nil, body: @escaping @Sendable () -> Void) throws(SystemError) {
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
            throw SystemError(operation: "pthread_create", code: code)
        }
        self.thread = thread
    }

    /// Blocks until the function has returned. May be called again, but neither by this thread itself nor by two threads at once.
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
        // After the last reference is released, no thread can call `join`.
        if !isJoined.withLock({ $0 }) { pthread_detach(thread) }
    }

    /// All signals except SIGPROF and those that the thread's own code causes, such as SIGSEGV and SIGABRT.
    private static var processSignals: sigset_t {
        var set = sigset_t()
        sigfillset(&set)
        for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGPROF] { sigdelset(&set, signal) }
        return set
    }
}

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
