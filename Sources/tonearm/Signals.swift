import Glibc
import Platform
import Synchronization

/// Stops the program in an orderly way. The signal handler only writes the signal's number into a pipe, because it may call few functions. The thread
/// that reads the pipe does not need the main queue, so a second signal or the deadline ends a program whose main queue hangs.
enum Signals {
    /// The time after the first signal, in seconds, within which other signals count as the same one.
    private static let burst = 0.2

    /// Installs the handlers of SIGTERM, SIGINT and, unless it is already ignored (as under nohup), SIGHUP. Called once, before other threads write
    /// to sockets. The first signal calls `stop` on the thread that reads the handler's pipe. The program exits at once `deadline` seconds after the
    /// first signal, or at a further signal more than `burst` seconds after it. SIGPIPE is ignored, so that a write to a closed connection returns
    /// an error.
    static func install(deadline: Double, log: Log, stop: @escaping @Sendable (_ signal: String, _ number: Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        precondition(code == 0, "the system could not create a pipe (error \(errno))")
        let reader = ends[0]
        signalPipe.store(ends[1], ordering: .releasing)
        _ = WorkerThread(name: "signals") { run(reader, deadline: deadline, log: log, stop: stop) }

        var action = sigaction()
        action.__sigaction_handler.sa_handler = handleSignal
        action.sa_flags = SA_RESTART
        for number in [SIGTERM, SIGINT, SIGHUP] {
            var before = sigaction()
            sigaction(number, nil, &before)
            if number == SIGHUP, isIgnored(before) { continue }
            sigaction(number, &action, nil)
        }
    }

    /// Unblocks the signals for this thread, because it may have inherited a mask from the parent process.
    private static func unblock() {
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&wanted, number) }
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    }

    private static func run(_ reader: Int32, deadline: Double, log: Log, stop: (String, Int32) -> Void) {
        unblock()
        guard let first = next(reader, milliseconds: -1) else { return }
        stop(name(first), first)
        let clock = MonotonicClock()
        let start = clock.now
        while let second = next(reader, milliseconds: Int32(max(0, start + deadline - clock.now) * 1000)) {
            // One Ctrl-C, or one stop by a supervisor, may send several signals.
            if clock.now - start < burst { continue }
            log(.warning, "a second signal stopped the program immediately", ["signal": name(second)])
            _exit(128 + second)
        }
        log(.error, "the orderly stop took too long: the program exits", ["seconds": "\(deadline)"])
        _exit(1)
    }

    /// Returns the number of the next signal; nil if none arrives in `milliseconds`.
    private static func next(_ reader: Int32, milliseconds: Int32) -> Int32? {
        var wanted = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&wanted, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            var number: UInt8 = 0
            return read(reader, &number, 1) == 1 ? Int32(number) : nil
        }
    }

    private static func name(_ number: Int32) -> String {
        switch number {
        case SIGTERM: "SIGTERM"
        case SIGINT: "SIGINT"
        case SIGHUP: "SIGHUP"
        default: "\(number)"
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// The write end of the pipe; -1 before the pipe exists.
private let signalPipe = Atomic<Int32>(-1)

/// Handles a signal. It interrupts a thread at any instruction, so it must not lock or allocate.
private func handleSignal(_ number: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalPipe.load(ordering: .acquiring), &byte, 1)
    errno = saved
}
