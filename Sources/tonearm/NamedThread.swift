import CLinux
import Glibc

/// Starts a thread that runs `body` once. For work that may block, which no shared pool should wait for. Traps where the system has no threads left.
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    var thread = pthread_t()
    let code = pthread_create(&thread, nil, runThread, start.toOpaque())
    precondition(code == 0, "the system gives no thread (error \(code))")
    pthread_detach(thread)
}

private final class ThreadStart: Sendable {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    _ = CLinux_setCurrentThreadName(start.name)
    start.body()
    return nil
}
