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

/// A thread that runs one job after the other. It begins with the first job.
final class JobThread: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var isStarted = false
    }
    private let state = Mutex(State())
    private let thread = StepThread()
    private let name: String

    init(name: String) { self.name = name }

    /// Enqueues a job. Any thread.
    func run(_ job: @escaping @Sendable () -> Void) {
        let mustStart = state.withLock { state in
            state.jobs.append(job)
            defer { state.isStarted = true }
            return !state.isStarted
        }
        if mustStart { thread.start(name: name) { [weak self] in self?.runOne() ?? false } }
        thread.wake()
    }

    /// Ends after the job that is running; those that wait are dropped.
    func stop() {
        state.withLock { $0.jobs = [] }
        thread.stop()
    }

    private func runOne() -> Bool {
        guard let job = state.withLock({ $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }) else { return false }
        job()
        return true
    }
}
