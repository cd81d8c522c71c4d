// Operators that combine several publishers.

extension Publishers {
    public typealias FlatMap<NewPublisher: Publisher, Upstream: Publisher> = Operator<Upstream, NewPublisher.Output, NewPublisher.Failure>
    public typealias SwitchToLatest<P: Publisher, Upstream: Publisher> = Operator<Upstream, P.Output, P.Failure>
    public typealias PrependSequence<Upstream: Publisher, Elements: Swift.Sequence> = Concatenate<Sequence<Elements, Upstream.Failure>, Upstream>
    where Elements.Element == Upstream.Output
    public typealias AppendSequence<Upstream: Publisher, Elements: Swift.Sequence> = Concatenate<Upstream, Sequence<Elements, Upstream.Failure>>
    where Elements.Element == Upstream.Output

    /// The values of one publisher, and when it has finished, those of another one. The demand that the first leaves over is the second's.
    ///
    /// ```swift
    /// let states = Publishers.Concatenate(prefix: Just("loading"), suffix: titles)
    /// ```
    public struct Concatenate<Prefix: Publisher, Suffix: Publisher>: Publisher
    where Suffix.Failure == Prefix.Failure, Suffix.Output == Prefix.Output {
        public typealias Output = Suffix.Output
        public typealias Failure = Suffix.Failure
        public let prefix: Prefix
        public let suffix: Suffix

        public init(prefix: Prefix, suffix: Suffix) { (self.prefix, self.suffix) = (prefix, suffix) }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let flow = Flow<Output, Failure>(to: subscriber)
            let suffix = suffix
            flow.forward(prefix) { end in
                if end.isFailure { flow.end(end) } else { flow.forward(suffix) { flow.end($0) } }
            }
        }
    }

    /// The values of several publishers, in the order of arrival.
    ///
    /// With a limited demand, at most one value of each publisher waits, and its next one is requested afterwards. The publisher completes when all
    /// have, or at the first failure.
    ///
    /// ```swift
    /// let endings = Publishers.MergeMany(players.map { $0.publisher(for: \.timeControlStatus) })
    /// ```
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let publishers: [Upstream]

        public init<S: Swift.Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }
        public init(_ upstream: Upstream...) { publishers = upstream }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            Sequence<[Upstream], Failure>(sequence: publishers).flattened(.unlimited) { $0 }.subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Sends the values of the publishers that `transform` makes of this one's values, in the order of arrival.
    ///
    /// With a limited demand, at most one value of each publisher waits. The result finishes when all have finished, and fails at the first failure.
    /// - Parameter maxPublishers: How many of them are subscribed to at a time.
    ///
    /// ```swift
    /// let durations = items.flatMap(maxPublishers: .max(2)) { loadDuration(of: $0) }
    /// ```
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        flattened(maxPublishers, transform)
    }
    fileprivate func flattened<P: Publisher>(
        _ maxPublishers: Subscribers.Demand, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<P.Output, Failure>(to: subscriber)
            // This publisher, and those that were made of its values.
            let running = Guarded(1)
            func complete(_ end: Subscribers.Completion<Failure>) {
                let isLast = running.withLock { running in
                    running -= 1
                    return running == 0
                }
                if isLast || end.isFailure { flow.end(end) }
            }
            flow.connect(upstream, demand: maxPublishers) { outer, value in
                running.withLock { $0 += 1 }
                flow.connect(transform(value), demand: flow.isUnlimited ? .unlimited : .max(1)) { inner, value in
                    flow.send(value) { inner.request(.max(1)) }
                    return .none
                } completion: { _, end in
                    complete(end)
                    outer.request(.max(1))
                }
                return .none
            } completion: { _, end in
                complete(end)
            }
        }
    }

    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        flattened(maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        setFailureType(to: P.Failure.self).flattened(maxPublishers, transform)
    }
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        flattened(maxPublishers, transform)
    }
}

extension Publisher where Output: Publisher, Output.Failure == Failure {
    /// Sends the values of the newest publisher that this one has sent; the one before is cancelled.
    ///
    /// ```swift
    /// let rate = currentPlayer.map { $0.publisher(for: \.rate) }.switchToLatest()
    /// ```
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> { switched() }

    fileprivate func switched() -> Publishers.SwitchToLatest<Output, Self> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output.Output, Failure>(to: subscriber)
            let state = Guarded((newest: 0, isRunning: false, isLast: false))
            flow.connect(upstream, demand: .unlimited) { _, publisher in
                let number = state.withLock { state in
                    state.newest += 1
                    state.isRunning = true
                    return state.newest
                }
                flow.forward(publisher, replaces: true) { end in
                    let isLast = state.withLock { state in
                        if state.newest == number { state.isRunning = false }
                        return state.isLast && !state.isRunning
                    }
                    if isLast || end.isFailure { flow.end(end) }
                }
                return .none
            } completion: { _, end in
                let isRunning = state.withLock { state in
                    state.isLast = true
                    return state.isRunning
                }
                if !isRunning || end.isFailure { flow.end(end) }
            }
        }
    }
}

extension Publisher where Failure == Never, Output: Publisher {
    /// Sends the values of the newest publisher that this one has sent; the one before is cancelled.
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Publishers.SetFailureType<Self, Output.Failure>> {
        setFailureType(to: Output.Failure.self).switched()
    }
}

extension Publisher where Failure == Never, Output: Publisher, Output.Failure == Never {
    /// Sends the values of the newest publisher that this one has sent; the one before is cancelled.
    public func switchToLatest() -> Publishers.SwitchToLatest<Output, Self> { switched() }
}

extension Publisher {
    /// Sends `elements` before the values of this publisher.
    public func prepend(_ elements: Output...) -> Publishers.PrependSequence<Self, [Output]> { prepend(elements) }
    public func prepend<S: Sequence>(_ elements: S) -> Publishers.PrependSequence<Self, S> where S.Element == Output {
        Publishers.Concatenate(prefix: Publishers.Sequence(sequence: elements), suffix: self)
    }
    /// Sends the values of `publisher`, and after it has finished, those of this one.
    public func prepend<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<P, Self> where P.Failure == Failure, P.Output == Output {
        Publishers.Concatenate(prefix: publisher, suffix: self)
    }

    /// Sends `elements` after this publisher has finished.
    public func append(_ elements: Output...) -> Publishers.AppendSequence<Self, [Output]> { append(elements) }
    public func append<S: Sequence>(_ elements: S) -> Publishers.AppendSequence<Self, S> where S.Element == Output {
        Publishers.Concatenate(prefix: self, suffix: Publishers.Sequence(sequence: elements))
    }
    /// Sends the values of `publisher` after this one has finished.
    public func append<P: Publisher>(_ publisher: P) -> Publishers.Concatenate<Self, P> where P.Failure == Failure, P.Output == Output {
        Publishers.Concatenate(prefix: self, suffix: publisher)
    }
}

extension Publishers {
    public typealias PrefixUntilOutput<Upstream: Publisher, Other: Publisher> = Map<Upstream, Upstream.Output>
    public typealias DropUntilOutput<Upstream: Publisher, Other: Publisher> = Map<Upstream, Upstream.Output>
}

extension Publisher {
    /// Finishes when `publisher` sends its first value.
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber)
            flow.connect(publisher, demand: .max(1)) { _, _ in
                flow.end(.finished)
                return .none
            } completion: { _, _ in
            }
            flow.forward(upstream) { flow.end($0) }
        }
    }

    /// Discards values until `publisher` sends its first one. The result ends if `publisher` ends before.
    public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P> where P.Failure == Failure {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber)
            let drops = Guarded(true)
            flow.connect(publisher, demand: .max(1)) { _, _ in
                drops.withLock { $0 = false }
                return .none
            } completion: { _, end in
                if drops.withLock({ $0 }) { flow.end(end) }
            }
            flow.connect(upstream) { _, value in
                if drops.withLock({ $0 }) { return .max(1) }
                flow.send(value)
                return .none
            } completion: { _, end in
                flow.end(end)
            }
        }
    }
}

// MARK: Values that belong together

/// Makes pairs of the values of two publishers.
private final class Pairing<A, B> {
    private struct State {
        var a = Queue<A>()
        var b = Queue<B>()
        var aIsFinished = false
        var bIsFinished = false
        /// Whether no further pair is possible.
        var isOver: Bool { aIsFinished && bIsFinished || aIsFinished && a.isEmpty || bIsFinished && b.isEmpty }
    }
    private let state = Guarded(State())
    /// Whether each value belongs to one pair only (`zip`). Otherwise it is replaced by the next.
    private let usesEachOnce: Bool

    init(usesEachOnce: Bool) { self.usesEachOnce = usesEachOnce }

    func begin<P: Publisher, Q: Publisher, S: Subscriber>(_ p: P, _ q: Q, _ subscriber: S)
    where P.Output == A, Q.Output == B, P.Failure == S.Failure, Q.Failure == S.Failure, S.Input == (A, B) {
        let flow = Flow<(A, B), S.Failure>(to: subscriber, surplus: usesEachOnce ? .kept : .newest)
        add(p, flow, \.a, \.aIsFinished)
        add(q, flow, \.b, \.bIsFinished)
    }

    private func add<P: Publisher>(
        _ publisher: P, _ flow: Flow<(A, B), P.Failure>, _ values: WritableKeyPath<State, Queue<P.Output>>, _ isFinished: WritableKeyPath<State, Bool>
    ) {
        flow.connect(publisher, demand: usesEachOnce ? nil : .unlimited) { [self] _, value in
            let (former, pair, isOver) = state.withLock { state -> (P.Output?, (A, B)?, Bool) in
                let former = usesEachOnce ? nil : state[keyPath: values].popFirst()
                state[keyPath: values].append(value)
                guard let a = state.a.first, let b = state.b.first else { return (former, nil, false) }
                // Inside the lock, so that pairs are sent in the order in which they were made.
                flow.enqueue((a, b))
                if usesEachOnce { _ = (state.a.popFirst(), state.b.popFirst()) }
                return (former, (a, b), usesEachOnce && state.isOver)
            }
            _ = (former, pair)
            if isOver { flow.end(.finished) } else { flow.deliver() }
            return .none
        } completion: { [self] _, end in
            let isOver = state.withLock { state in
                state[keyPath: isFinished] = true
                return state.isOver
            }
            if isOver || end.isFailure { flow.end(end) }
        }
    }
}

extension Publishers {
    /// The newest values of two publishers, whenever one sends, but after both have.
    ///
    /// The demand on both is unlimited; a slower subscriber gets the newest pair. The publisher completes when both have, when one has without a
    /// value, or at the first failure.
    ///
    /// ```swift
    /// let token = rate.combineLatest(volume).sink { rate, volume in show(rate, volume) }
    /// ```
    public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B
        public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            Pairing<A.Output, B.Output>(usesEachOnce: false).begin(a, b, subscriber)
        }
    }

    /// The newest values of three publishers, as `CombineLatest`.
    public struct CombineLatest3<A: Publisher, B: Publisher, C: Publisher>: Publisher where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B, c: C
        public init(_ a: A, _ b: B, _ c: C) { (self.a, self.b, self.c) = (a, b, c) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            a.combineLatest(b).combineLatest(c).map { ($0.0.0, $0.0.1, $0.1) }.subscribe(subscriber)
        }
    }

    /// The newest values of four publishers, as `CombineLatest`.
    public struct CombineLatest4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B, c: C, d: D
        public init(_ a: A, _ b: B, _ c: C, _ d: D) { (self.a, self.b, self.c, self.d) = (a, b, c, d) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            a.combineLatest(b).combineLatest(c.combineLatest(d)).map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1) }.subscribe(subscriber)
        }
    }

    /// The first values of two publishers, then the second ones, and so on.
    ///
    /// Both get the subscriber's demand, and values without a partner wait. The publisher finishes when no further pair is possible.
    ///
    /// ```swift
    /// let pairs = titles.zip(artworks)
    /// ```
    public struct Zip<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
        public typealias Output = (A.Output, B.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B
        public init(_ a: A, _ b: B) { (self.a, self.b) = (a, b) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            Pairing<A.Output, B.Output>(usesEachOnce: true).begin(a, b, subscriber)
        }
    }

    /// Tuples of three publishers' values, as `Zip`.
    public struct Zip3<A: Publisher, B: Publisher, C: Publisher>: Publisher where A.Failure == B.Failure, B.Failure == C.Failure {
        public typealias Output = (A.Output, B.Output, C.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B, c: C
        public init(_ a: A, _ b: B, _ c: C) { (self.a, self.b, self.c) = (a, b, c) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            a.zip(b).zip(c).map { ($0.0.0, $0.0.1, $0.1) }.subscribe(subscriber)
        }
    }

    /// Tuples of four publishers' values, as `Zip`.
    public struct Zip4<A: Publisher, B: Publisher, C: Publisher, D: Publisher>: Publisher
    where A.Failure == B.Failure, B.Failure == C.Failure, C.Failure == D.Failure {
        public typealias Output = (A.Output, B.Output, C.Output, D.Output)
        public typealias Failure = A.Failure
        public let a: A, b: B, c: C, d: D
        public init(_ a: A, _ b: B, _ c: C, _ d: D) { (self.a, self.b, self.c, self.d) = (a, b, c, d) }
        public func receive<S: Subscriber<Output, Failure>>(subscriber: S) {
            a.zip(b).zip(c.zip(d)).map { ($0.0.0, $0.0.1, $0.1.0, $0.1.1) }.subscribe(subscriber)
        }
    }
}

extension Publisher {
    /// Sends the newest two values whenever one publisher sends, but after both have.
    public func combineLatest<P: Publisher>(_ other: P) -> Publishers.CombineLatest<Self, P> where P.Failure == Failure { .init(self, other) }
    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Operator<Publishers.CombineLatest<Self, P>, T, Failure> where P.Failure == Failure {
        combineLatest(other).map { transform($0.0, $0.1) }
    }

    /// Sends the newest three values whenever one publisher sends, but after all have.
    public func combineLatest<P: Publisher, Q: Publisher>(_ second: P, _ third: Q) -> Publishers.CombineLatest3<Self, P, Q>
    where P.Failure == Failure, Q.Failure == Failure {
        .init(self, second, third)
    }
    public func combineLatest<P: Publisher, Q: Publisher, T>(
        _ second: P, _ third: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Operator<Publishers.CombineLatest3<Self, P, Q>, T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(second, third).map { transform($0.0, $0.1, $0.2) }
    }

    /// Sends the newest four values whenever one publisher sends, but after all have.
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher>(
        _ second: P, _ third: Q, _ fourth: R
    ) -> Publishers.CombineLatest4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        .init(self, second, third, fourth)
    }
    public func combineLatest<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ second: P, _ third: Q, _ fourth: R, _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Operator<Publishers.CombineLatest4<Self, P, Q, R>, T, Failure>
    where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        combineLatest(second, third, fourth).map { transform($0.0, $0.1, $0.2, $0.3) }
    }

    /// Sends pairs of the first values of both publishers, of the second ones, and so on.
    public func zip<P: Publisher>(_ other: P) -> Publishers.Zip<Self, P> where P.Failure == Failure { .init(self, other) }
    public func zip<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> Publishers.Operator<Publishers.Zip<Self, P>, T, Failure> where P.Failure == Failure {
        zip(other).map { transform($0.0, $0.1) }
    }

    /// Sends tuples of the first values of three publishers, of the second ones, and so on.
    public func zip<P: Publisher, Q: Publisher>(_ second: P, _ third: Q) -> Publishers.Zip3<Self, P, Q>
    where P.Failure == Failure, Q.Failure == Failure {
        .init(self, second, third)
    }
    public func zip<P: Publisher, Q: Publisher, T>(
        _ second: P, _ third: Q, _ transform: @escaping (Output, P.Output, Q.Output) -> T
    ) -> Publishers.Operator<Publishers.Zip3<Self, P, Q>, T, Failure> where P.Failure == Failure, Q.Failure == Failure {
        zip(second, third).map { transform($0.0, $0.1, $0.2) }
    }

    /// Sends tuples of the first values of four publishers, of the second ones, and so on.
    public func zip<P: Publisher, Q: Publisher, R: Publisher>(
        _ second: P, _ third: Q, _ fourth: R
    ) -> Publishers.Zip4<Self, P, Q, R> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        .init(self, second, third, fourth)
    }
    public func zip<P: Publisher, Q: Publisher, R: Publisher, T>(
        _ second: P, _ third: Q, _ fourth: R, _ transform: @escaping (Output, P.Output, Q.Output, R.Output) -> T
    ) -> Publishers.Operator<Publishers.Zip4<Self, P, Q, R>, T, Failure> where P.Failure == Failure, Q.Failure == Failure, R.Failure == Failure {
        zip(second, third, fourth).map { transform($0.0, $0.1, $0.2, $0.3) }
    }
}
