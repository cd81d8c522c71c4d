import Foundation

/// A notification of one object, told on the main actor, where `AVFoundation` posts all of its own; ends when dropped.
@MainActor final class NotificationObserver {
    private let token: NotificationToken

    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @MainActor ([AnyHashable: Any]) -> Void) {
        token = NotificationToken(name, object) { notification in
            let info = PostedInfo(values: notification.userInfo ?? [:])
            MainActor.assumeIsolated { body(info.values) }
        }
    }
}

/// `@unchecked Sendable`: made and read on the main actor; it only passes a closure that is not isolated.
private struct PostedInfo: @unchecked Sendable {
    let values: [AnyHashable: Any]
}

/// A notification of one object, told where it is posted; ends when dropped.
///
/// `@unchecked Sendable`: the token is only given back to the notification centre, which is thread-safe.
final class NotificationToken: @unchecked Sendable {
    private let token: any NSObjectProtocol
    init(_ name: Notification.Name, _ object: AnyObject, _ body: @escaping @Sendable (Notification) -> Void) {
        token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil, using: body)
    }
    deinit { NotificationCenter.default.removeObserver(token) }
}
