extension Publishers {
    /// A publisher that an operator makes from another one. Apple's names of the operators' types are aliases of this type.
    ///
    /// ```swift
    /// let titles: Publishers.CompactMap<CurrentValueSubject<Track?, Never>, String> = track.compactMap { $0?.title }
    /// ```
    public struct Operator<Upstream: Publisher, Output, Failure: Error>: Publisher {
        public let upstream: Upstream
        private let begin: (Upstream, AnySubscriber<Output, Failure>) -> Void

        init(_ upstream: Upstream, _ begin: @escaping (Upstream, AnySubscriber<Output, Failure>) -> Void) {
            self.upstream = upstream
            self.begin = begin
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            begin(upstream, AnySubscriber(subscriber))
        }
    }
}

/// What an operator does with one value.
enum Step<Output> {
    case send(Output)
    case skip
    /// Sends the value, if there is one, and finishes.
    case end(Output?)
}

/// The functions of an operator for one subscriber. They are called one at a time, so what they capture needs no lock.
struct Steps<Input, Output> {
    let value: (Input) throws -> Step<Output>
    /// Returns the last value, after the publisher has finished.
    var last: () -> Output? = { nil }
}

extension Publisher {
    /// Makes an operator with one step for each value. An error thrown by a step cancels the subscription to this publisher.
    /// - Parameters:
    ///   - failure: Converts the publisher's error, or one that a step has thrown: with `own`, a step must not throw.
    ///   - collects: Whether the step needs all values to send one, so that the demand is unlimited. Otherwise the demand is the subscriber's, and
    ///     another value is requested for one that is not sent.
    ///   - isEmpty: Whether the operator finishes before the first value.
    ///   - make: Called for each subscriber.
    func steps<T, F: Error>(
        failure: @escaping (any Error) -> F, collects: Bool = false, isEmpty: Bool = false, _ make: @escaping () -> Steps<Output, T>
    ) -> Publishers.Operator<Self, T, F> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<T, F>(to: subscriber)
            if isEmpty { return flow.end(.finished) }
            let steps = make()
            flow.connect(upstream, demand: collects ? .unlimited : nil) { _, value in
                do {
                    switch try steps.value(value) {
                    case .send(let value): flow.send(value)
                    case .skip: return collects ? .none : .max(1)
                    case .end(let last): flow.end(.finished, last: last)
                    }
                } catch {
                    flow.end(.failure(failure(error)))
                }
                return .none
            } completion: { _, end in
                switch end {
                case .failure(let error): flow.end(.failure(failure(error)))
                case .finished: flow.end(.finished, last: steps.last())
                }
            }
        }
    }

    /// The error of this publisher, as which it was thrown.
    static func own(_ error: any Error) -> Failure {
        guard let error = error as? Failure else { preconditionFailure("a publisher has failed with an error of another type: \(error)") }
        return error
    }

    /// An operator whose steps have no state.
    func step<T, F: Error>(
        _ failure: @escaping (any Error) -> F, _ value: @escaping (Output) throws -> Step<T>
    ) -> Publishers.Operator<Self, T, F> {
        steps(failure: failure) { Steps(value: value) }
    }
}
