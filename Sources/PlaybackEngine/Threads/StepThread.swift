import Platform
import Synchronization

/// A thread that calls `step` until it returns false, and then sleeps until `wake`.
final class StepThread: Sendable {
    private let signal = WakeSignal()
    private let isOver = Atomic<Bool>(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Starts the thread. Called once.
    func start(name: String, step: @escaping @Sendable () -> Bool) {
        // The thread and this object retain each other until `stop`.
        let worker = WorkerThread(name: name) {
            while !self.isOver.load(ordering: .acquiring) {
                while !self.isOver.load(ordering: .acquiring), step() {}
                self.signal.wait()
            }
        }
        thread.withLock { $0 = worker }
    }

    /// Wakes the thread. May be called on any thread, also an audio thread.
    func wake() { signal.raise() }

    /// Waits until the thread has ended. May be called repeatedly, but on another thread.
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

/// Messages from any thread to one owner, in order. The mailbox never blocks, and wakes the owner by `wake`.
final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        wake()
    }

    /// Removes and returns all messages, the oldest first.
    func takeAll() -> [Message] {
        messages.withLock { box in
            guard !box.isEmpty else { return [] }
            let taken = box
            box.removeAll(keepingCapacity: true)
            return taken
        }
    }

    var isEmpty: Bool { messages.withLock { $0.isEmpty } }
}
