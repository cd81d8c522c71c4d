/// A publisher that sends the values that are passed to its function `send`.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value to every subscriber.
    func send(_ value: Output)
    /// Sends the completion to every subscriber, including subscribers that subscribe later.
    func send(completion: Subscribers.Completion<Failure>)
    /// For implementers of publishers: receives the subscription with which the subject subscribes to another publisher. The subject requests any
    /// number of values from the other publisher, and cancels the subscription when the subject is released.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends an event without a value (a value of type `Void`) to every subscriber.
    public func send() { send(()) }
}

/// A subject that sends each value to the subscribers that have demand when the value is sent. Subscribers without demand do not receive the value.
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

/// A subject that stores its newest value. A new subscriber receives the stored value first, and then every new value. A subscriber without demand
/// receives the newest value as soon as it has demand.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let hub: SubjectHub<Output, Failure>

    public init(_ value: Output) { hub = SubjectHub(value) }

    /// The newest value of the subject. A new value of the property is sent to the subscribers, even if it equals the former value.
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
