/// Receives a publisher's values.
public protocol Subscriber<Input, Failure> {
    associatedtype Input
    associatedtype Failure: Error

    /// The first call; no value is sent before it was requested.
    func receive(subscription: any Subscription)
    /// The result is the additional demand.
    func receive(_ input: Input) -> Subscribers.Demand
    /// The last call, made at most once.
    func receive(completion: Subscribers.Completion<Failure>)
}

extension Subscriber where Input == Void {
    public func receive() -> Subscribers.Demand { receive(()) }
}

/// Connects a subscriber to a publisher.
public protocol Subscription: Cancellable, AnyObject {
    /// Values may be sent during this call.
    func request(_ demand: Subscribers.Demand)
}

/// A subscriber that hides the type of another one.
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

    /// If `receiveValue` is nil, there is no further demand.
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

        var isFailure: Bool { if case .failure = self { true } else { false } }
    }
}

extension Subscribers.Completion: Sendable {}
extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Hashable where Failure: Hashable {}

/// The namespace of the operators on publishers.
public enum Publishers {}
