import Foundation

/// An observation of a notification that `AVFoundation` posts for one object. The closure `body` runs on the main actor, because the notification is
/// posted on the main actor. The observation ends when the `NotificationObserver` is released.
@MainActor final class NotificationObserver {
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        token = NotificationToken(name, object) { notification in
            let info = PostedInfo(values: notification.userInfo ?? [:])
            MainActor.assumeIsolated { body(info.values) }
        }
    }
}

/// The `userInfo` of a notification. `@unchecked Sendable`: the values are created and read on the main actor, but pass through a closure without
/// isolation.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// An observation of a notification of one object. The closure `body` runs on the thread that posts the notification. The observation ends when the
/// `NotificationToken` is released.
///
/// `@unchecked Sendable`: the observer's token is only passed to the notification centre, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
}
