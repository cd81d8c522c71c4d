/// Sends what is passed to `send`.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
    /// Also to subscribers that come later.
    func send(completion: Subscribers.Completion<Failure>)
    /// For implementers of publishers: requests any number of values, and cancels when the subject is released.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    public func send() { send(()) }
}

/// Subscribers without demand do not receive the value.
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

/// Stores its newest value, which a new subscriber gets first, and one without demand later.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let hub: SubjectHub<Output, Failure>

    public init(_ value: Output) { hub = SubjectHub(value) }

    /// Sent even if it equals the former.
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
