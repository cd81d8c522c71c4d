/// A receiver of a publisher's values.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    /// Receives the subscription, before anything else. No value is sent before the subscriber has requested values of `subscription`.
    func receive(subscription: any Subscription)
    /// Receives a value of the publisher. Returns the demand for further values, in addition to the values that were requested before.
    func receive(_ input: Input) -> Subscribers.Demand
    /// Receives the completion of the publisher, at most once and last.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    /// Receives an event without a value (a value of type `Void`).
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// The connection of a subscriber to a publisher.
public protocol Subscription: Cancellable, AnyObject {
    /// Requests further values from the publisher. The publisher may send the requested values during the call of `request`.
    func request(_ demand: Subscribers.Demand)
}

/// A subscriber whose own type is hidden: only the types of its values and errors are visible.
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

    /// Makes a subscriber that calls the given functions. An omitted function does nothing; without `receiveValue`, the subscriber has no demand for
    /// further values.
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

/// The namespace of the types that subscribers use.
public enum Subscribers {
    /// The end of a publisher's values, with or without an error.
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// The namespace of the operators on publishers.
public enum Publishers {}
