/// A publisher that is told what to send.
public protocol Subject<Output, Failure>: AnyObject, Publisher {
    /// Sends a value to every subscriber.
    func send(_ value: Output)
    /// Ends it, for those who subscribe later too.
    func send(completion: Subscribers.Completion<Failure>)
    /// For implementers of publishers: what it is subscribed to. Everything is requested; it is cancelled when the subject is dropped.
    func send(subscription: any Subscription)
}

extension Subject where Output == Void {
    /// Sends an event without a value.
    public func send() { send(()) }
}

/// Sends what it is told to those who subscribe at the time and have asked for more.
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

/// Has a value, which a new subscriber is sent first; then every change of it. A subscriber that has not asked for more gets the newest when it does.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    private let hub: SubjectHub<Output, Failure>

    public init(_ value: Output) { hub = SubjectHub(value) }

    /// The newest value. Setting it sends it, an equal one too.
    public var value: Output {
        get {
            guard let value = hub.value else { preconditionFailure("a CurrentValueSubject has a value from the start") }
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
