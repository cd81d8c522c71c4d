import Glibc
import Platform
import Synchronization

/// Turns the signals that end a program into an orderly stop.
///
/// The handler does one thing that a handler may do, it writes the signal's number into a pipe; a thread of its own reads it. So a program whose main
/// queue hangs still obeys: a second signal ends it at once, and so does the deadline.
enum Signals {
    /// Signals that follow the first within so many seconds belong to it.
    private static let burst = 0.2

    /// SIGTERM and SIGINT (and SIGHUP, unless it is ignored as under nohup) call `stop`, on the signals' own thread. A later second one, or `deadline` seconds
    /// without an end, ends the program there and then. SIGPIPE is ignored: a client that went away is an error of a write, not of the program.
    ///
    /// Called once, before other threads write to sockets.
    static func install(deadline: Double, log: Log, stop: @escaping @Sendable (_ signal: String, _ number: Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        precondition(code == 0, "the system gives no pipe (error \(errno))")
        let reader = ends[0]
        signalPipe.store(ends[1], ordering: .releasing)
        _ = WorkerThread(name: "signals") { obey(reader, deadline: deadline, log: log, stop: stop) }

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

    /// Whoever started the program may have blocked signals, which a program inherits: this thread takes them in any case.
    private static func unblock() {
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&wanted, number) }
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    }

    private static func obey(_ reader: Int32, deadline: Double, log: Log, stop: (String, Int32) -> Void) {
        unblock()
        guard let first = next(reader, milliseconds: -1) else { return }
        stop(name(first), first)
        let clock = MonotonicClock()
        let start = clock.now
        while let second = next(reader, milliseconds: Int32(max(0, start + deadline - clock.now) * 1000)) {
            // One press of Ctrl-C, or one stop by a supervisor, may send several: they mean the same.
            if clock.now - start < burst { continue }
            log(.warning, "stopped at once by a second signal", ["signal": name(second)])
            _exit(128 + second)
        }
        log(.error, "the orderly stop took too long: giving up", ["seconds": "\(deadline)"])
        _exit(1)
    }

    /// The next signal's number, nil after the time is over.
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

/// The writing end of the pipe.
private let signalPipe = Atomic<Int32>(-1)

/// Runs on any thread, between any two instructions: nothing here may lock or allocate.
private func handleSignal(_ number: Int32) {
    let saved = errno
    var byte = UInt8(truncatingIfNeeded: number)
    _ = write(signalPipe.load(ordering: .acquiring), &byte, 1)
    errno = saved
}
