import Glibc
import PlaybackEngine
import Synchronization

/// Asks the system for a name's addresses, without being held up by it: the C library's resolver knows no interrupt, and may take a minute.
enum Resolver {
    /// Answers a name; may block for as long as it likes.
    typealias Lookup = @Sendable (String) -> Result<[NetworkAddress], PlaybackError>

    /// The answer of a lookup on its way between two threads.
    private final class Answer: Sendable {
        let result = Mutex<Result<[NetworkAddress], PlaybackError>?>(nil)
    }

    /// All addresses of `host`, in the resolver's order. Blocks until they are there, `interrupt` is raised, or `patience` seconds have passed.
    ///
    /// A lookup that is given up goes on alone; its thread and its answer go when it ends.
    static func resolve(
        _ host: String, interrupt: Interrupt, patience: Double = 30, lookup: @escaping Lookup = Resolver.system
    ) throws(PlaybackError) -> [NetworkAddress] {
        let answer = Answer()
        // The thread detaches itself when this reference goes.
        let worker = WorkerThread(name: "resolver") {
            let result = lookup(host)
            answer.result.withLock { $0 = result }
        }
        let clock = MonotonicClock()
        let deadline = clock.now + patience
        // Most names are answered at once: short waits first.
        var wait: Int32 = 1
        while true {
            if let result = answer.result.withLock({ $0 }) {
                worker.join()
                return try result.get()
            }
            if interrupt.isRaised { throw .cancelled }
            guard clock.now < deadline else { throw PlaybackError(.network, "The server's name could not be looked up in time.") }
            poll(nil, 0, wait)
            wait = min(50, wait * 2)
        }
    }

    /// The C library's own.
    static let system: Lookup = { host in
        do throws(PlaybackError) { return .success(try NetworkAddress.resolve(host)) } catch { return .failure(error) }
    }
}
