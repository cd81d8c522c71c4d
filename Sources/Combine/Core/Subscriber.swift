/// Receives what a publisher sends.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    /// Comes first. Nothing is sent before something is requested of `subscription`.
    func receive(subscription: any Subscription)
    /// One value. Returns how many more are wanted, in addition to what was requested already.
    func receive(_ input: Input) -> Subscribers.Demand
    /// The end, at most once and last.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// One event without a value.
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// The connection of a subscriber to a publisher.
public protocol Subscription: Cancellable, AnyObject {
    /// Asks for so many more values. They may be sent inside this call.
    func request(_ demand: Subscribers.Demand)
}

/// A subscriber whose type tells nothing but what it receives.
public struct AnySubscriber<Input, Failure: Error>: Subscriber {
    private let begin: (any Subscription) -> Void
    private let value: (Input) -> Subscribers.Demand
    private let end: (Subscribers.Completion<Failure>) -> Void

    public init<S: Subscriber>(_ subscriber: S) where S.Input == Input, S.Failure == Failure {
        if let same = subscriber as? AnySubscriber<Input, Failure> {
            self = same
        } else {
            begin = { subscriber.receive(subscription: $0) }
            value = { subscriber.receive($0) }
            end = { subscriber.receive(completion: $0) }
        }
    }

    /// A subscriber made of functions; one that is left out does nothing, and asks for nothing.
    public init(
        receiveSubscription: ((any Subscription) -> Void)? = nil, receiveValue: ((Input) -> Subscribers.Demand)? = nil,
        receiveCompletion: ((Subscribers.Completion<Failure>) -> Void)? = nil
    ) {
        begin = receiveSubscription ?? { _ in }
        value = receiveValue ?? { _ in .none }
        end = receiveCompletion ?? { _ in }
    }

    public func receive(subscription: any Subscription) { begin(subscription) }
    public func receive(_ input: Input) -> Subscribers.Demand { value(input) }
    public func receive(completion: Subscribers.Completion<Failure>) { end(completion) }
}

/// The namespace of what has to do with subscribers.
public enum Subscribers {
    /// How a publisher ended.
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// The namespace of the operators.
public enum Publishers {}
