import Synchronization

/// Messages from any thread to one owner, in order. Never blocks; wakes the owner by `wake`.
final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    private let wake: @Sendable () -> Void

    init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        wake()
    }

    /// The oldest first.
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
