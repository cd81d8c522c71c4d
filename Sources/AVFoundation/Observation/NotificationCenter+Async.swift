public import Foundation
import Synchronization

extension NotificationCenter {
    /// The notifications of `object`, or of all objects if nil (R-ASYNC-01). The observer lives from the making of the iterator to its release or the
    /// end of the task (R-ASYNC-02). The buffer is unbounded, and the sequence has no end (R-ASYNC-03).
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// An asynchronous sequence of notifications.
    public struct Notifications: AsyncSequence {
        public typealias Element = Notification
        let center: NotificationCenter
        let name: Notification.Name
        let object: AnyObject?

        public func makeAsyncIterator() -> Iterator { Iterator(NotificationMailbox(center: center, name: name, object: object)) }

        /// Iterates over the notifications that are posted after it was made.
        public struct Iterator: AsyncIteratorProtocol {
            private let mailbox: NotificationMailbox
            init(_ mailbox: NotificationMailbox) { self.mailbox = mailbox }
            public mutating func next() async -> Notification? { await mailbox.next()?.notification }
            /// Runs in the isolation of the reader, because a notification is not Sendable.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? { await mailbox.next()?.notification }
        }
    }
}

/// A notification on its way from the posting thread to the reading task.
///
/// `@unchecked Sendable`: it is sent once, to the only reader, and the notifications of this package have Sendable contents.
struct PostedNotification: @unchecked Sendable {
    let notification: Notification
}

/// The waiting notifications of one iterator.
///
/// `@unchecked Sendable`: `observer` is written only by `init` and read by `deinit`; the rest is in a mutex.
final class NotificationMailbox: @unchecked Sendable {
    private struct State {
        var waiting: [PostedNotification] = []
        var reader: CheckedContinuation<PostedNotification?, Never>?
        var isCancelled = false
    }
    private let center: NotificationCenter
    private let state: StateBox
    private let observer: any NSObjectProtocol

    private final class StateBox: Sendable {
        let mutex = Mutex(State())
        func post(_ notification: PostedNotification) {
            let reader = mutex.withLock { state -> CheckedContinuation<PostedNotification?, Never>? in
                guard let reader = state.reader else {
                    state.waiting.append(notification)
                    return nil
                }
                state.reader = nil
                return reader
            }
            reader?.resume(returning: notification)
        }
    }

    init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
        self.center = center
        let box = StateBox()
        state = box
        observer = center.addObserver(forName: name, object: object, queue: nil) { box.post(PostedNotification(notification: $0)) }
    }

    deinit { center.removeObserver(observer) }

    func next() async -> PostedNotification? {
        let box = state
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = box.mutex.withLock { state -> PostedNotification?? in
                    if state.isCancelled || Task.isCancelled { return .some(nil) }
                    if !state.waiting.isEmpty { return state.waiting.removeFirst() }
                    state.reader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            let reader = box.mutex.withLock { state in
                state.isCancelled = true
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
