public import Foundation

extension NotificationCenter {
    /// Sends the notifications of `object`, or of all objects if nil, on the thread that posts them; never completes.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> NotificationCenter.Publisher {
        Publisher(center: self, name: name, object: object)
    }

    /// Notifications from the subscription on; those beyond the demand are discarded.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Notification
        public typealias Failure = Never
        public let center: NotificationCenter
        public let name: Notification.Name
        public let object: AnyObject?

        public init(center: NotificationCenter, name: Notification.Name, object: AnyObject? = nil) {
            self.center = center
            self.name = name
            self.object = object
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Notification, S.Failure == Never {
            let registration = Guarded<(any NSObjectProtocol)?>(nil)
            let outlet = Outlet(
                to: subscriber, surplus: .dropped,
                whenEnded: { [center] in if let observer = registration.take() { center.removeObserver(observer) } })
            registration.withLock { registration in
                registration = center.addObserver(forName: name, object: object, queue: nil) { [weak outlet] in outlet?.send($0) }
            }
            outlet.begin()
        }
    }
}
