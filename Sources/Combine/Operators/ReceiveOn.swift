extension Publishers {
    /// Forwards each value in a later action of the scheduler, even if the publisher already sends there (R-COMB-02). Values arrive in order and one
    /// at a time, also from a concurrent scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let scheduler: Context
        public let options: Context.SchedulerOptions?

        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (scheduler, options) = (scheduler, options)
            upstream.receive(subscriber: Relay(to: subscriber) { scheduler.schedule(options: options, $0) })
        }
    }
}

/// Receives on one thread, and forwards where `schedule` runs.
private final class Relay<Downstream: Subscriber>: Subscriber, Subscription {
    private enum Signal {
        case value(Downstream.Input)
        case end(Subscribers.Completion<Downstream.Failure>)
    }
    private struct State {
        var downstream: Downstream?
        var subscription: (any Subscription)?
        var waiting: [Signal] = []
        var isScheduled = false
    }
    private let state: Guarded<State>
    private let schedule: (@escaping () -> Void) -> Void

    init(to downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
        state = Guarded(State(downstream: downstream))
        self.schedule = schedule
    }

    func receive(subscription: any Subscription) {
        let downstream = state.withLock { state in
            state.subscription = subscription
            return state.downstream
        }
        downstream?.receive(subscription: self)
    }
    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        enqueue(.value(input))
        return .none
    }
    func receive(completion: Subscribers.Completion<Downstream.Failure>) { enqueue(.end(completion)) }

    private func enqueue(_ signal: Signal) {
        let isFirst = state.withLock { state in
            guard state.downstream != nil else { return false }
            state.waiting.append(signal)
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { schedule { [self] in handOn() } }
    }

    private func handOn() {
        let next = state.withLock { state -> (Signal, Downstream)? in
            guard let downstream = state.downstream, !state.waiting.isEmpty else { return nil }
            return (state.waiting.removeFirst(), downstream)
        }
        switch next {
        case (.value(let value), let downstream)?:
            let more = downstream.receive(value)
            if more > .none { request(more) }
        case (.end(let completion), let downstream)?:
            downstream.receive(completion: completion)
            end()
        case nil: break
        }
        let goesOn = state.withLock { state in
            state.isScheduled = !state.waiting.isEmpty
            return state.isScheduled
        }
        if goesOn { schedule { [self] in handOn() } }
    }

    func request(_ demand: Subscribers.Demand) { state.withLock { $0.subscription }?.request(demand) }
    func cancel() { end().subscription?.cancel() }

    @discardableResult private func end() -> State {
        state.withLock { state in
            let former = state
            state.downstream = nil
            state.subscription = nil
            state.waiting = []
            return former
        }
    }
}

extension Publisher {
    /// Sends the values later, on `scheduler`: the property from which a value was read may have changed (R-COMB-02).
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}
