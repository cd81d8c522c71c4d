extension Publishers {
    /// The values of several publishers, in the order of arrival.
    ///
    /// With a limited demand, at most one value of each publisher waits, and its next one is requested afterwards. The publisher completes when all
    /// have, or at the first failure.
    public struct MergeMany<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let publishers: [Upstream]

        public init<S: Sequence>(_ upstream: S) where S.Element == Upstream { publishers = Array(upstream) }
        public init(_ upstream: Upstream...) { publishers = upstream }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let shared = MergeState<Output, Failure>(count: publishers.count)
            let outlet = Outlet(
                to: subscriber, surplus: .kept, whenRequested: { shared.request($0) }, whenEnded: { shared.cancel() })
            outlet.begin()
            if publishers.isEmpty { outlet.send(completion: .finished) }
            for publisher in publishers { publisher.subscribe(MergeSubscriber(shared: shared, outlet: outlet)) }
        }
    }
}

/// The demand on each merged publisher.
private final class MergeState<Output, Failure: Error>: Sendable {
    private struct State {
        var subscriptions: [any Subscription] = []
        var running: Int
        var isUnlimited = false
        var hasBegun = false
        var isCancelled = false
    }
    private let state: Guarded<State>
    init(count: Int) { state = Guarded(State(running: count)) }

    var isUnlimited: Bool { state.withLock { $0.isUnlimited } }

    func add(_ subscription: any Subscription) {
        let wanted = state.withLock { state -> Subscribers.Demand? in
            if state.isCancelled { return nil }
            state.subscriptions.append(subscription)
            return state.isUnlimited ? .unlimited : (state.hasBegun ? .max(1) : Subscribers.Demand.none)
        }
        guard let wanted else { return subscription.cancel() }
        if wanted > .none { subscription.request(wanted) }
    }

    /// The first demand starts the publishers; later only the first unlimited demand counts.
    func request(_ demand: Subscribers.Demand) {
        let (subscriptions, wanted) = state.withLock { state -> ([any Subscription], Subscribers.Demand) in
            let wanted: Subscribers.Demand = state.isUnlimited ? .none : (demand == .unlimited ? .unlimited : (state.hasBegun ? .none : .max(1)))
            state.isUnlimited = state.isUnlimited || demand == .unlimited
            state.hasBegun = state.hasBegun || demand > .none
            return (demand > .none && wanted > .none ? state.subscriptions : [], wanted)
        }
        for subscription in subscriptions { subscription.request(wanted) }
    }

    /// Counts a completion, and returns whether all publishers have completed.
    func countCompletion() -> Bool {
        state.withLock { state in
            state.running -= 1
            return state.running == 0
        }
    }

    func cancel() {
        let subscriptions = state.withLock { state in
            state.isCancelled = true
            defer { state.subscriptions = [] }
            return state.subscriptions
        }
        for subscription in subscriptions { subscription.cancel() }
    }
}

private final class MergeSubscriber<Output, Failure: Error>: Subscriber {
    private let shared: MergeState<Output, Failure>
    private let outlet: Outlet<Output, Failure>
    private let subscription = Guarded<(any Subscription)?>(nil)

    init(shared: MergeState<Output, Failure>, outlet: Outlet<Output, Failure>) {
        self.shared = shared
        self.outlet = outlet
    }

    func receive(subscription given: any Subscription) {
        subscription.withLock { $0 = given }
        shared.add(given)
    }

    func receive(_ input: Output) -> Subscribers.Demand {
        if shared.isUnlimited {
            outlet.send(input)
        } else {
            outlet.send(input) { [self] in subscription.withLock { $0 }?.request(.max(1)) }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        _ = subscription.take()
        switch completion {
        case .finished: if shared.countCompletion() { outlet.send(completion: .finished) }
        case .failure: outlet.send(completion: completion)
        }
    }
}

extension Publisher {
    /// Sends the values of all publishers in the order of arrival.
    public func merge(with others: (any Publisher<Output, Failure>)...) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> {
        Publishers.MergeMany([eraseToAnyPublisher()] + others.map { $0.eraseToAnyPublisher() })
    }
}
