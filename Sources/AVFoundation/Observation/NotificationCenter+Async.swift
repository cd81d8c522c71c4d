public import Foundation
import Synchronization

extension NotificationCenter {
    /// Returns the notifications with the name `name` as an asynchronous sequence; if `object` is not nil, only the notifications of `object`
    /// (R-ASYNC-01).
    ///
    /// An observer of the notifications is registered when the sequence's iterator is made, and removed when the iterator is released or the task
    /// ends (R-ASYNC-02). The buffer of unread notifications is unbounded. The sequence of notifications has no end (R-ASYNC-03).
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

        /// An iterator that delivers the notifications that are posted after the iterator was made.
        public struct Iterator: AsyncIteratorProtocol {
            private let mailbox: NotificationMailbox
            init(_ mailbox: NotificationMailbox) { self.mailbox = mailbox }
            public mutating func next() async -> Notification? { await mailbox.next()?.notification }
            /// Returns the next notification in the isolation of the reader, because a notification is not Sendable.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? { await mailbox.next()?.notification }
        }
    }
}

/// A notification in transit from the thread that posted it to the task that reads it.
///
/// `@unchecked Sendable`: the poster sends the notification once, to the only reader. All notifications that this package posts have Sendable
/// contents.
struct PostedNotification: @unchecked Sendable {
    let notification: Notification
}

/// A buffer of notifications for one iterator.
///
/// `@unchecked Sendable`: `observer` is written only by `init` and read by `deinit`; all other state of the mailbox is in a mutex.
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
