import Platform
import Synchronization

/// A thread that calls a step while it has something to do, and sleeps otherwise until it is woken.
final class StepThread: Sendable {
    private let signal = WakeSignal()
    private let isOver = Atomic<Bool>(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Begins. Called once.
    func start(name: String, step: @escaping @Sendable () -> Bool) {
        // The thread holds the signal through `self`; `stop` ends it, so this is no cycle that lasts.
        let worker = WorkerThread(name: name) {
            while !self.isOver.load(ordering: .acquiring) {
                while !self.isOver.load(ordering: .acquiring), step() {}
                self.signal.wait()
            }
        }
        thread.withLock { $0 = worker }
    }

    /// There may be something to do. Any thread, the audio thread too.
    func wake() { signal.raise() }

    /// Ends the thread after the step it is in. Idempotent; called from another thread.
    func stop() {
        isOver.store(true, ordering: .releasing)
        signal.raise()
        let worker = thread.withLock { worker in
            defer { worker = nil }
            return worker
        }
        worker?.join()
    }
}
