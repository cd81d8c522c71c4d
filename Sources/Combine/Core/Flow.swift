/// What an operator receives from one publisher. Demand that is requested before the subscription exists is passed on with it; after the completion
/// or a cancellation, no function is called.
final class Inlet<Input, Failure: Error>: Subscriber, Subscription, Sendable {
    private struct State {
        var subscription: (any Subscription)?
        var early = Subscribers.Demand.none
        var value: ((any Subscription, Input) -> Subscribers.Demand)?
        var completion: ((any Subscription, Subscribers.Completion<Failure>) -> Void)?
    }
    private let state: Guarded<State>

    /// Both functions get the inlet, as the subscription to the publisher.
    init(
        value: @escaping (any Subscription, Input) -> Subscribers.Demand,
        completion: @escaping (any Subscription, Subscribers.Completion<Failure>) -> Void
    ) {
        state = Guarded(State(value: value, completion: completion))
    }

    func receive(subscription: any Subscription) {
        let demand = state.withLock { state -> Subscribers.Demand? in
            guard state.value != nil, state.subscription == nil else { return nil }
            state.subscription = subscription
            return state.early
        }
        guard let demand else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand { state.withLock { $0.value }?(self, input) ?? .none }
    func receive(completion: Subscribers.Completion<Failure>) { end().completion?(self, completion) }

    func request(_ demand: Subscribers.Demand) {
        let subscription = state.withLock { state in
            if state.subscription == nil { state.early += demand }
            return state.subscription
        }
        if demand > .none { subscription?.request(demand) }
    }

    func cancel() { end().subscription?.cancel() }

    private func end() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}

/// The subscription of an operator's subscriber, with the inlets from which its values come. They are cancelled when it ends.
final class Flow<Output, Failure: Error>: Sendable {
    private struct State {
        /// The demand for which no value has been sent.
        var unmet = Subscribers.Demand.none
        /// The inlets that get the subscriber's demand.
        var following: [ObjectIdentifier: any Subscription] = [:]
        /// The inlets whose demand the operator decides.
        var others: [ObjectIdentifier: any Subscription] = [:]
        var isEnded = false
    }
    private let state: Guarded<State>
    private let outlet: Outlet<Output, Failure>

    /// The subscriber gets its subscription during this call.
    init<S: Subscriber>(to subscriber: S, surplus: Outlet<Output, Failure>.Surplus = .kept, whenEnded: (() -> Void)? = nil)
    where S.Input == Output, S.Failure == Failure {
        let state = Guarded(State())
        self.state = state
        outlet = Outlet(to: subscriber, surplus: surplus) { demand in
            let inlets = state.withLock { state in
                state.unmet += demand
                return state.following
            }
            for inlet in inlets.values { inlet.request(demand) }
        } whenEnded: {
            Self.close(state)
            whenEnded?()
        }
        outlet.begin()
    }

    /// A later inlet gets what the present demand has left over.
    var isUnlimited: Bool { state.withLock { $0.unmet == .unlimited } }

    /// Subscribes to `publisher`.
    /// - Parameters:
    ///   - demand: The first demand; if nil, the publisher gets the subscriber's demand, now and later.
    ///   - replaces: Whether the inlets that got the subscriber's demand are cancelled.
    func connect<P: Publisher>(
        _ publisher: P, demand: Subscribers.Demand? = nil, replaces: Bool = false,
        value: @escaping (any Subscription, P.Output) -> Subscribers.Demand,
        completion: @escaping (any Subscription, Subscribers.Completion<P.Failure>) -> Void
    ) {
        let inlet = Inlet<P.Output, P.Failure>(value: value) { [state] inlet, end in
            let key = ObjectIdentifier(inlet)
            let gone = state.withLock { ($0.following.removeValue(forKey: key), $0.others.removeValue(forKey: key)) }
            _ = gone
            completion(inlet, end)
        }
        let (first, former) = state.withLock { state -> (Subscribers.Demand?, [ObjectIdentifier: any Subscription]) in
            guard !state.isEnded else { return (nil, [:]) }
            let former = replaces ? state.following : [:]
            if replaces { state.following = [:] }
            if demand == nil { state.following[ObjectIdentifier(inlet)] = inlet } else { state.others[ObjectIdentifier(inlet)] = inlet }
            return (demand ?? state.unmet, former)
        }
        for inlet in former.values { inlet.cancel() }
        guard let first else { return }
        inlet.request(first)
        publisher.subscribe(inlet)
    }

    /// Sends all values of `publisher`, which gets the subscriber's demand. Without a function, its completion ends the flow.
    func forward<P: Publisher>(
        _ publisher: P, replaces: Bool = false, completion: @escaping (Subscribers.Completion<P.Failure>) -> Void
    ) where P.Output == Output {
        connect(publisher, replaces: replaces) { [self] _, value in
            send(value)
            return .none
        } completion: {
            completion($1)
        }
    }

    func send(_ value: Output, whenTaken: (() -> Void)? = nil) {
        enqueue(value, whenTaken: whenTaken)
        outlet.deliver()
    }

    /// The value waits for `deliver`; the caller may be inside a lock.
    func enqueue(_ value: Output, whenTaken: (() -> Void)? = nil) {
        state.withLock { $0.unmet -= 1 }
        outlet.enqueue(value, whenTaken: whenTaken)
    }
    func deliver() { outlet.deliver() }

    /// Cancels the inlets, and ends after the values that wait, and `last`.
    func end(_ completion: Subscribers.Completion<Failure>, last: Output? = nil) {
        Self.close(state)
        if let last { outlet.enqueue(last) }
        outlet.send(completion: completion)
    }

    private static func close(_ state: Guarded<State>) {
        let inlets = state.withLock { state in
            defer { (state.isEnded, state.following, state.others) = (true, [:], [:]) }
            return Array(state.following.values) + Array(state.others.values)
        }
        for inlet in inlets { inlet.cancel() }
    }
}

/// A subscription that calls functions.
final class SubscriptionProxy: Subscription {
    private let whenRequested: (Subscribers.Demand) -> Void
    private let whenCancelled: () -> Void

    init(request: @escaping (Subscribers.Demand) -> Void, cancel: @escaping () -> Void) { (whenRequested, whenCancelled) = (request, cancel) }

    func request(_ demand: Subscribers.Demand) { whenRequested(demand) }
    func cancel() { whenCancelled() }
}
