import Platform
import Synchronization

/// A thread that calls the function `step` until it returns false, and then sleeps until `wake`.
final class StepThread: Sendable {
    private let signal = WakeSignal()
    private let isOver = Atomic<Bool>(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts the thread. `start` is called once.
    func start(name: String, step: @escaping @Sendable () -> Bool) {
        // The thread and its `StepThread` retain each other. The function `stop` ends the thread, and with it the reference cycle.
        let worker = WorkerThread(name: name) {
            while !self.isOver.load(ordering: .acquiring) {
                while !self.isOver.load(ordering: .acquiring), step() {}
                self.signal.wait()
            }
        }
        thread.withLock { $0 = worker }
    }

    /// Wakes the thread, because `step` may have work. Any thread may wake the thread, also an audio thread.
    func wake() { signal.raise() }

    /// Ends the thread after its present call of `step`, and waits until the thread has ended. `stop` is idempotent, and must be called on another
    /// thread.
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
