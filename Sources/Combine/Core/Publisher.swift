/// Something that sends values over time to whoever subscribes.
///
/// The rules: a subscriber is given a subscription first; then values, one at a time and never more than it asked for; then at most one completion,
/// and nothing after it. What is subscribed to starts anew for each subscriber, unless the publisher says otherwise.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// For implementers: begin to send to `subscriber`. Callers use `subscribe(_:)`.
    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure
}

extension Publisher {
    /// Subscribes.
    public func subscribe<S: Subscriber>(_ subscriber: S) where S.Input == Output, S.Failure == Failure { receive(subscriber: subscriber) }

    /// Lets a subject repeat what this publisher sends. Cancelling the token ends it; so does dropping it.
    public func subscribe<S: Subject>(_ subject: S) -> AnyCancellable where S.Output == Output, S.Failure == Failure {
        let sink = Subscribers.Sink<Output, Failure>(
            receiveCompletion: { subject.send(completion: $0) }, receiveValue: { subject.send($0) })
        subscribe(sink)
        return AnyCancellable(sink)
    }

    /// Hides which publisher it is.
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }
}

/// A publisher whose type tells nothing but what it sends.
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
