import Glibc
import Synchronization

/// A serial queue for long work. Its thread exists only while there is work, with the niceness 10, so that playback and requests come first.
public final class BackgroundQueue: Sendable {
    private struct Pending {
        var works: [@Sendable () -> Void] = []
        var hasThread = false
    }

    public static let niceness: Int32 = 10

    private let name: String
    private let make: WorkerThread.Maker
    private let pending = Mutex(Pending())

    /// - Parameter name: The name of the thread.
    public convenience init(_ name: String) { self.init(name, make: WorkerThread.make) }

    package init(_ name: String, make: @escaping WorkerThread.Maker) {
        self.name = name
        self.make = make
    }

    /// Runs `work`, which may block, after all earlier work. If no thread can be created, the work waits for the next call of `async`.
    public func async(_ work: @escaping @Sendable () -> Void) {
        let needsThread = pending.withLock { pending in
            pending.works.append(work)
            defer { pending.hasThread = true }
            return !pending.hasThread
        }
        guard needsThread else { return }
        do throws(SystemError) { _ = try make(name) { self.drain() } } catch { pending.withLock { $0.hasThread = false } }
    }

    private func drain() {
        // On Linux, the call sets the priority of the calling thread alone.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, Self.niceness)
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        pending.withLock { pending in
            guard !pending.works.isEmpty else {
                pending.hasThread = false
                return nil
            }
            return pending.works.removeFirst()
        }
    }
}
