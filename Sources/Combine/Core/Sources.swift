extension Publishers {
    /// Sends the elements of a sequence, each when it is requested, and finishes after the last. An endless sequence is possible.
    ///
    /// ```swift
    /// let token = ["intro", "verse"].publisher.sink { print($0) }
    /// ```
    public struct Sequence<Elements: Swift.Sequence, Failure: Error>: Publisher {
        public typealias Output = Elements.Element
        public let sequence: Elements

        public init(sequence: Elements) { self.sequence = sequence }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            sequence.send(to: subscriber, .finished)
        }
    }
}

extension Sequence {
    /// A publisher of the elements.
    public var publisher: Publishers.Sequence<Self, Never> { Publishers.Sequence(sequence: self) }

    /// Sends the elements, each when it is requested, and then the completion.
    fileprivate func send<S: Subscriber>(to subscriber: S, _ completion: Subscribers.Completion<S.Failure>) where S.Input == Element {
        let outlet = Outlet<Element, S.Failure>(to: subscriber, surplus: .kept)
        var iterator = makeIterator()
        func enqueueNext() {
            if let element = iterator.next() {
                outlet.enqueue(element, whenTaken: enqueueNext)
            } else {
                outlet.enqueue(completion: completion)
            }
        }
        enqueueNext()
        outlet.begin()
    }
}

/// Sends one value to each subscriber that requests one, and then finishes.
///
/// ```swift
/// let volume = saved.map { Just($0) } ?? Just(1)
/// ```
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    public let output: Output

    public init(_ output: Output) { self.output = output }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        CollectionOfOne(output).send(to: subscriber, .finished)
    }
}

extension Just: Equatable where Output: Equatable {}

/// Sends no value, and finishes at once or never.
///
/// ```swift
/// let artwork = address.map { load($0) } ?? Empty().eraseToAnyPublisher()
/// ```
public struct Empty<Output, Failure: Error>: Publisher, Equatable, Sendable {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) { self.completeImmediately = completeImmediately }
    /// The types are for the compiler, where it cannot infer them.
    public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        if completeImmediately {
            EmptyCollection().send(to: subscriber, .finished)
        } else {
            Outlet(to: subscriber, surplus: .dropped).begin()
        }
    }
}

/// Fails at once.
///
/// ```swift
/// guard let address else { return Fail(error: URLError(.badURL)).eraseToAnyPublisher() }
/// ```
public struct Fail<Output, Failure: Error>: Publisher {
    public let error: Failure

    public init(error: Failure) { self.error = error }
    /// The types are for the compiler, where it cannot infer them.
    public init(outputType: Output.Type, failure: Failure) { self.init(error: failure) }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        EmptyCollection().send(to: subscriber, .failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}

extension Optional {
    /// Sends the value, if there is one, and finishes.
    public var publisher: Publisher { Publisher(self) }

    /// Sends an optional's value, if there is one, and finishes.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never
        public let output: Wrapped?

        public init(_ output: Wrapped?) { self.output = output }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            (output.map { [$0] } ?? []).send(to: subscriber, .finished)
        }
    }
}

extension Result {
    /// Sends the value and finishes, or fails.
    public var publisher: Publisher { Publisher(self) }

    /// Sends a result's value and finishes, or fails.
    public struct Publisher: Combine.Publisher {
        public typealias Output = Success
        public let result: Result

        public init(_ result: Result) { self.result = result }
        public init(_ output: Success) { self.init(.success(output)) }
        public init(_ failure: Failure) { self.init(.failure(failure)) }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            switch result {
            case .success(let output): CollectionOfOne(output).send(to: subscriber, .finished)
            case .failure(let error): EmptyCollection().send(to: subscriber, .failure(error))
            }
        }
    }
}

/// Makes a publisher for each subscriber.
///
/// ```swift
/// let duration = Deferred { load(item) }  // Loads when somebody subscribes.
/// ```
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure
    public let createPublisher: () -> DeferredPublisher

    public init(createPublisher: @escaping () -> DeferredPublisher) { self.createPublisher = createPublisher }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}

/// Sends one value that is known later, and finishes, or fails. The work starts when the future is made, and is done once for all subscribers.
///
/// ```swift
/// let token = Future<Int, Never> { promise in work { promise(.success($0)) } }.sink { print($0) }
/// ```
public final class Future<Output, Failure: Error>: Publisher, Sendable {
    /// Fulfils the future, on any thread; the first result counts.
    public typealias Promise = (Result<Output, Failure>) -> Void
    private struct State {
        var result: Result<Output, Failure>?
        var outlets: [Outlet<Output, Failure>] = []
    }
    private let state = Guarded(State())

    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) { attemptToFulfill { [self] in fulfil($0) } }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let outlet = Outlet(to: subscriber, surplus: .kept)
        outlet.begin()
        let result = state.withLock { state in
            if state.result == nil { state.outlets.append(outlet) }
            return state.result
        }
        if let result { Self.send(result, to: outlet) }
    }

    private func fulfil(_ result: Result<Output, Failure>) {
        let outlets = state.withLock { state -> [Outlet<Output, Failure>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.outlets = [] }
            return state.outlets
        }
        for outlet in outlets { Self.send(result, to: outlet) }
    }

    private static func send(_ result: Result<Output, Failure>, to outlet: Outlet<Output, Failure>) {
        switch result {
        case .success(let output):
            outlet.enqueue(output)
            outlet.send(completion: .finished)
        case .failure(let error): outlet.send(completion: .failure(error))
        }
    }

    private var end: Result<Output, Failure> {
        get async {
            await withCheckedContinuation { (continuation: CheckedContinuation<HandedOver<Result<Output, Failure>>, Never>) in
                let first = Guarded<Output?>(nil)
                let inlet = Inlet<Output, Failure> { _, value in
                    first.withLock { $0 = value }
                    return .none
                } completion: { _, end in
                    switch end {
                    case .failure(let error): continuation.resume(returning: HandedOver(value: .failure(error)))
                    case .finished: if let value = first.take() { continuation.resume(returning: HandedOver(value: .success(value))) }
                    }
                }
                inlet.request(.unlimited)
                subscribe(inlet)
            }.value
        }
    }
}

extension Future where Failure == Never {
    /// The value, when it is known.
    public var value: Output { get async { await end.get() } }
}

extension Future {
    /// The value, when it is known; throws the failure.
    public var value: Output { get async throws { try await end.get() } }
}
