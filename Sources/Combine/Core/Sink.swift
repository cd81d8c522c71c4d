extension Subscribers {
    /// A subscriber that calls functions, with unlimited demand.
    public final class Sink<Input, Failure: Error>: Subscriber, Cancellable {
        private let inlet: Inlet<Input, Failure>

        public init(receiveCompletion: @escaping (Completion<Failure>) -> Void, receiveValue: @escaping (Input) -> Void) {
            inlet = Inlet { _, value in
                receiveValue(value)
                return .none
            } completion: { _, completion in
                receiveCompletion(completion)
            }
            inlet.request(.unlimited)
        }

        public func receive(subscription: any Subscription) { inlet.receive(subscription: subscription) }
        public func receive(_ input: Input) -> Demand { inlet.receive(input) }
        public func receive(completion: Completion<Failure>) { inlet.receive(completion: completion) }
        /// After `cancel`, no function is called, except for a call that has started.
        public func cancel() { inlet.cancel() }
    }

    /// A subscriber that writes values to a property, and keeps the object alive.
    public final class Assign<Root, Input>: Subscriber, Cancellable {
        public typealias Failure = Never
        private let sink: Sink<Input, Never>

        public init(object: Root, keyPath: ReferenceWritableKeyPath<Root, Input>) {
            sink = Sink(receiveCompletion: { _ in }, receiveValue: { object[keyPath: keyPath] = $0 })
        }

        public func receive(subscription: any Subscription) { sink.receive(subscription: subscription) }
        public func receive(_ input: Input) -> Demand { sink.receive(input) }
        public func receive(completion: Completion<Never>) { sink.receive(completion: completion) }
        public func cancel() { sink.cancel() }
    }
}

extension Publisher {
    /// Calls the functions until the completion, or until the token is cancelled or released.
    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void, receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        let sink = Subscribers.Sink(receiveCompletion: receiveCompletion, receiveValue: receiveValue)
        subscribe(sink)
        return AnyCancellable(sink)
    }
}

extension Publisher where Failure == Never {
    /// Calls the function until the completion, or until the token is cancelled or released.
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable { sink(receiveCompletion: { _ in }, receiveValue: receiveValue) }

    /// Writes the values to a property of `object`, which it keeps alive until the completion or until the token is cancelled or released.
    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        let assign = Subscribers.Assign(object: object, keyPath: keyPath)
        subscribe(assign)
        return AnyCancellable(assign)
    }
}
