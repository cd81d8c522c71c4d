/// A publisher that sends what is passed to `send`.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
    /// Subscribers that come later get the completion too.
    func send(completion: Subscribers.Completion<Failure>)
    /// Called by a publisher with the subscription to it: requests any number of values, and cancels when the subject is released.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    public func send() { send(()) }
}

/// A subject that stores no value: subscribers without demand do not receive a value.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    private let hub = SubjectHub<Output, Failure>(nil)

    public init() {}

    public func send(_ value: Output) { hub.send(value) }
    public func send(completion: Subscribers.Completion<Failure>) { hub.send(completion: completion) }
    public func send(subscription: any Subscription) { hub.take(subscription) }
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        hub.add(subscriber, surplus: .dropped)
    }
}

/// A subject that stores its newest value. A new subscriber gets it first, and a subscriber without demand later.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let hub: SubjectHub<Output, Failure>

    public init(_ value: Output) { hub = SubjectHub(value) }

    /// A new value is sent even if it equals the former.
    public var value: Output {
        get {
            guard let value = hub.value else { preconditionFailure("a CurrentValueSubject always has a value") }
            return value
        }
        set { send(newValue) }
    }

    public func send(_ value: Output) { hub.send(value) }
    public func send(completion: Subscribers.Completion<Failure>) { hub.send(completion: completion) }
    public func send(subscription: any Subscription) { hub.take(subscription) }
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        hub.add(subscriber, surplus: .newest)
    }
}
