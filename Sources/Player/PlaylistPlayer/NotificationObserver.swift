import Foundation

/// `body` runs on the main actor, where `AVFoundation` posts. Ends when it is released.
@MainActor final class NotificationObserver {
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        token = NotificationToken(name, object) { notification in
            let info = PostedInfo(values: notification.userInfo ?? [:])
            MainActor.assumeIsolated { body(info.values) }
        }
    }
}

/// `@unchecked Sendable`: the values are created and read on the main actor, but pass through a closure without isolation.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// `body` runs on the thread that posts. Ends when it is released.
///
/// `@unchecked Sendable`: the token is only passed to the notification centre, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
}
