/// The values of a publisher as an asynchronous sequence. Each iterator subscribes, and requests one value at a time.
///
/// ```swift
/// for await rate in player.publisher(for: \.rate).values { print(rate) }
/// ```
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
    public typealias Element = P.Output
    public typealias Failure = P.Failure
    private let publisher: P

    public init(_ publisher: P) { self.publisher = publisher }

    public func makeAsyncIterator() -> Iterator { Iterator(publisher) }

    /// Receives the values of one subscription, which ends with the iterator or its task.
    public struct Iterator: AsyncIteratorProtocol {
        private let values: AwaitedValues<P.Output, P.Failure>

        fileprivate init(_ publisher: P) { values = AwaitedValues(publisher) }

        public mutating func next() async throws(P.Failure) -> P.Output? { try await values.next().get() }
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? { try await values.next().get() }
    }
}

/// The values of a publisher that can fail as an asynchronous sequence.
public typealias AsyncThrowingPublisher<P: Publisher> = AsyncPublisher<P>

extension Publisher {
    /// The values as an asynchronous sequence, which throws if the publisher fails.
    public var values: AsyncPublisher<Self> { AsyncPublisher(self) }
}

/// A subscription whose values are awaited.
private final class AwaitedValues<Output, Failure: Error>: Sendable {
    private typealias Next = Result<Output?, Failure>
    private typealias Waiter = CheckedContinuation<HandedOver<Result<Output?, Failure>>, Never>
    private struct State {
        /// At most one value, and then the end.
        var arrived: [Next] = []
        var waiting: [Waiter] = []
        var isEnded = false
    }
    private let state: Guarded<State>
    private let inlet: Inlet<Output, Failure>

    init<P: Publisher>(_ publisher: P) where P.Output == Output, P.Failure == Failure {
        let state = Guarded(State())
        self.state = state
        inlet = Inlet { _, value in
            Self.hand(.success(value), to: state)
            return .none
        } completion: { _, end in
            switch end {
            case .finished: Self.end(nil, state)
            case .failure(let error): Self.end(.failure(error), state)
            }
        }
        publisher.subscribe(inlet)
    }

    deinit { inlet.cancel() }

    func next() async -> Result<Output?, Failure> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let (next, isEnded) = state.withLock { state -> (Next?, Bool) in
                    if !state.arrived.isEmpty { return (state.arrived.removeFirst(), true) }
                    if !state.isEnded { state.waiting.append(waiter) }
                    return (nil, state.isEnded)
                }
                if let next { return waiter.resume(returning: HandedOver(value: next)) }
                if isEnded { waiter.resume(returning: HandedOver(value: .success(nil))) } else { inlet.request(.max(1)) }
            }
        } onCancel: {
            inlet.cancel()
            Self.end(nil, state)
        }.value
    }

    private static func hand(_ next: Next, to state: Guarded<State>) {
        let waiter = state.withLock { state -> Waiter? in
            if state.waiting.isEmpty { state.arrived.append(next) }
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        waiter?.resume(returning: HandedOver(value: next))
    }

    /// Gives all waiting calls, and later ones, the end; one of them gets the failure.
    private static func end(_ failure: Next?, _ state: Guarded<State>) {
        if let failure { hand(failure, to: state) }
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume(returning: HandedOver(value: .success(nil))) }
    }
}
