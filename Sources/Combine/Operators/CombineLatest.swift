extension Publishers {
    /// The newest values of two publishers, whenever one sends, but after both have.
    ///
    /// The demand on both is unlimited; a slower subscriber gets the newest pair. The publisher completes when both have, when one has without a
    /// value, or at the first failure.
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure
        public let a: A
        public let b: B

        public init(_ a: A, _ b: B) {
            self.a = a
            self.b = b
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let pair = LatestPair<A.Output, B.Output, Failure>()
            let outlet = Outlet(to: subscriber, surplus: .newest, whenEnded: { pair.end() })
            pair.begin(a, b, outlet)
        }
    }
}

/// The newest values, with the tokens of both subscriptions.
private final class LatestPair<A, B, Failure: Error>: Sendable {
    private struct State {
        var a: A?
        var b: B?
        var running = 2
        var tokens: [AnyCancellable] = []
        var isEnded = false
    }
    private let state = Guarded(State())

    func begin<PA: Publisher, PB: Publisher>(_ a: PA, _ b: PB, _ outlet: Outlet<(A, B), Failure>)
    where PA.Output == A, PB.Output == B, PA.Failure == Failure, PB.Failure == Failure {
        outlet.begin()
        take(a, outlet) { state, value in state.a = value }
        take(b, outlet) { state, value in state.b = value }
    }

    private func take<P: Publisher>(_ publisher: P, _ outlet: Outlet<(A, B), Failure>, _ note: @escaping (inout State, P.Output) -> Void)
    where P.Failure == Failure {
        var hasValue = false
        let token = publisher.sink { [self] completion in
            switch completion {
            case .failure: outlet.send(completion: completion)
            case .finished:
                let isLast = state.withLock { state in
                    state.running -= 1
                    return state.running == 0
                }
                if isLast || !hasValue { outlet.send(completion: .finished) }
            }
        } receiveValue: { [self] value in
            hasValue = true
            state.withLock { state in
                note(&state, value)
                // Inside the lock, so that pairs are sent in the order in which they were made.
                if let a = state.a, let b = state.b { outlet.enqueue((a, b)) }
            }
            outlet.deliver()
        }
        let isTooLate = state.withLock { state in
            if !state.isEnded { state.tokens.append(token) }
            return state.isEnded
        }
        if isTooLate { token.cancel() }
    }

    func end() {
        let tokens = state.withLock { state in
            state.isEnded = true
            defer { state.tokens = [] }
            return state.tokens
        }
        for token in tokens { token.cancel() }
    }
}

extension Publisher {
    /// Sends the newest two values whenever one publisher sends, but after both have.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure {
        Publishers.CombineLatest(self, other)
    }

    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Self, P>, T> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }

    /// Sends the newest three values whenever one publisher sends, but after all have.
    public func combineLatest<P: Publisher, Q: Publisher>(
        _ second: P, _ third: Q
    ) -> Publishers.Map<Publishers.CombineLatest<Publishers.CombineLatest<Self, P>, Q>, (Output, P.Output, Q.Output)>
    where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(second).combineLatest(third).map { ($0.0.0, $0.0.1, $0.1) }
    }

    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ second: P, _ third: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Map<Publishers.CombineLatest<Publishers.CombineLatest<Self, P>, Q>, T> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(second).combineLatest(third).map { transform($0.0.0, $0.0.1, $0.1) }
    }
}
