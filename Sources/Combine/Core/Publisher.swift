/// A sender of values over time to its subscribers.
///
/// A subscriber first receives a subscription, then values, one at a time and never more than its demand. At last the subscriber receives at most one
/// completion, and nothing after the completion. A publisher starts again from the beginning for each subscriber, unless the publisher's
/// documentation states otherwise.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// For implementers: starts to send values to `subscriber`. Callers use `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Subscribes `subscriber` to the publisher.
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure { receive(subscriber: subscriber) }

    /// Makes a subject send all values and the completion of the publisher, until the returned token is cancelled or released.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let sink = Subscribers.Sink<Output, Failure>(
            receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
        subscribe(sink)
        return AnyCancellable(sink)
    }

    /// Returns the publisher as an `AnyPublisher`, which hides the publisher's type.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher whose own type is hidden: only the types of its values and errors are visible.
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let begin: (AnySubscriber<Output, Failure>) -> Void

    public init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        if let same = publisher as? AnyPublisher<Output, Failure> {
            begin = same.begin
        } else {
            begin = { publisher.receive(subscriber: $0) }
        }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure { begin(AnySubscriber(subscriber)) }
}
