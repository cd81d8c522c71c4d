/// A publisher whose values are sent by calls.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value to every subscriber.
    func send(_ value: Output)
    /// Completes the subject, for later subscribers too.
    func send(completion: Subscribers.Completion<Failure>)
    /// For implementers of publishers: receives the subject's own subscription. Its demand is unlimited, and it is cancelled when the subject is
    /// released.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends an event without a value.
    public func send() { send(()) }
}

/// Sends values to the subscribers that exist at that time and have demand.
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

/// Stores a value, which is the first that a new subscriber receives; then sends every change. A subscriber without demand receives the newest value
/// as soon as it has demand.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let hub: SubjectHub<Output, Failure>

    public init(_ value: Output) { hub = SubjectHub(value) }

    /// The newest value. Setting it sends it, even if it is equal.
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
