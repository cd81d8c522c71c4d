/// A subscriber that forwards the result of `step` for each value, unless the result is nil. Demand and cancellation go directly to the upstream
/// publisher.
private struct StepSubscriber<Input, Downstream: Subscriber>: Subscriber {
    let downstream: Downstream
    let step: (Input) -> Downstream.Input?

    func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }
    func receive(_ input: Input) -> Subscribers.Demand {
        // A value that is not forwarded has reduced the demand on the publisher by one, so another value is requested.
        step(input).map { downstream.receive($0) } ?? .max(1)
    }
    func receive(completion: Subscribers.Completion<Downstream.Failure>) { downstream.receive(completion: completion) }
}

extension Publishers {
    /// A publisher that calls a function with each value of another publisher, and sends the results.
    public struct Map<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let transform: (Upstream.Output) -> Output

        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output) {
            self.upstream = upstream
            self.transform = transform
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.receive(subscriber: StepSubscriber(downstream: subscriber, step: transform))
        }
    }

    /// A publisher that forwards the values of another publisher, but only the values that satisfy a condition.
    public struct Filter<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let isIncluded: (Output) -> Bool

        public init(upstream: Upstream, isIncluded: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.isIncluded = isIncluded
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let isIncluded = isIncluded
            upstream.receive(subscriber: StepSubscriber(downstream: subscriber) { isIncluded($0) ? $0 : nil })
        }
    }

    /// A publisher that calls a function with each value of another publisher, and sends the results that are not nil.
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let transform: (Upstream.Output) -> Output?

        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.receive(subscriber: StepSubscriber(downstream: subscriber, step: transform))
        }
    }

    /// A publisher that forwards the values of another publisher, except a value that equals the last forwarded value.
    public struct RemoveDuplicates<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let predicate: (Output, Output) -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output, Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let predicate = predicate
            // Each subscription has its own variable `last`. The variable needs no lock, because values arrive one at a time.
            var last: Output?
            upstream.receive(
                subscriber: StepSubscriber(downstream: subscriber) { value in
                    if let last, predicate(last, value) { return nil }
                    last = value
                    return value
                })
        }
    }

    /// A publisher that forwards the values of another publisher, except the first `count` values.
    public struct Drop<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let count: Int

        /// Makes a publisher that skips the first `count` values of `upstream`. The argument `count` must not be negative.
        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "the number of values to drop must not be negative")
            self.upstream = upstream
            self.count = count
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var left = count
            upstream.receive(
                subscriber: StepSubscriber(downstream: subscriber) { value in
                    guard left > 0 else { return value }
                    left -= 1
                    return nil
                })
        }
    }
}

extension Publisher {
    /// Returns a publisher that sends the result of `transform` for each value of this publisher.
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> { Publishers.Map(upstream: self, transform: transform) }

    /// Returns a publisher that sends one property of each value of this publisher.
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.Map<Self, T> { map { $0[keyPath: keyPath] } }

    /// Returns a publisher that forwards the values for which `isIncluded` is true.
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        Publishers.Filter(upstream: self, isIncluded: isIncluded)
    }

    /// Returns a publisher that sends the result of `transform` for each value of this publisher, except the results that are nil.
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        Publishers.CompactMap(upstream: self, transform: transform)
    }

    /// Returns a publisher that forwards a value only if `predicate`, called with the last forwarded value and the new value, is false.
    public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
        Publishers.RemoveDuplicates(upstream: self, predicate: predicate)
    }

    /// Returns a publisher that forwards all values except the first `count` values.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> { Publishers.Drop(upstream: self, count: count) }
}

extension Publisher where Output: Equatable {
    /// Returns a publisher that forwards all values except a value that equals the last forwarded value.
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}
