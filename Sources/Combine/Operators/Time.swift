// Operators that use a scheduler.

extension Publishers {
    public typealias ReceiveOn<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
    public typealias SubscribeOn<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
    public typealias Delay<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
    public typealias Debounce<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
    public typealias Throttle<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
    public typealias Timeout<Upstream: Publisher, Context: Scheduler> = Map<Upstream, Upstream.Output>
}

/// Actions that run in order and one at a time, although a concurrent scheduler decides when.
private final class Line: Sendable {
    private let state = Guarded((actions: Queue<() -> Void>(), due: 0, isRunning: false))

    /// `schedule` is called with a function that runs one action.
    func add(_ action: @escaping () -> Void, _ schedule: (@escaping () -> Void) -> Void) {
        state.withLock { $0.actions.append(action) }
        schedule { [self] in runNext() }
    }

    private func runNext() {
        let begins = state.withLock { state in
            state.due += 1
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard begins else { return }
        while let action = state.withLock({ state -> (() -> Void)? in
            state.isRunning = state.due > 0
            guard state.isRunning else { return nil }
            state.due -= 1
            return state.actions.popFirst()
        }) {
            action()
        }
    }
}

/// A value that waits until its time, unless another one with a later time replaces it. However often that happens, one action of the scheduler is
/// pending. It keeps neither the value nor this object alive.
private final class Deadline<Context: Scheduler, Value> {
    private struct Waiting {
        let due: Context.SchedulerTimeType
        let value: Value
    }
    private struct State {
        var waiting: Waiting?
        var isPending = false
    }
    private let scheduler: Context
    private let options: Context.SchedulerOptions?
    private let action: (Value) -> Void
    private let state = Guarded(State())

    init(_ scheduler: Context, _ options: Context.SchedulerOptions?, _ action: @escaping (Value) -> Void) {
        self.scheduler = scheduler
        self.options = options
        self.action = action
    }

    func set(_ value: Value, after interval: Context.SchedulerTimeType.Stride) {
        let due = scheduler.now.advanced(by: interval)
        let former = state.withLock { state in
            defer { state = State(waiting: Waiting(due: due, value: value), isPending: true) }
            return state
        }
        if !former.isPending { schedule(due) }
    }

    func clear() {
        let former = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting
        }
        _ = former
    }

    private func schedule(_ date: Context.SchedulerTimeType) {
        scheduler.schedule(after: date, tolerance: scheduler.minimumTolerance, options: options) { [weak self] in self?.reach(date) }
    }

    private func reach(_ date: Context.SchedulerTimeType) {
        let (waiting, isDue) = state.withLock { state -> (Waiting?, Bool) in
            let waiting = state.waiting
            if let waiting, waiting.due > date { return (waiting, false) }
            state = State()
            return (waiting, true)
        }
        guard let waiting else { return }
        if isDue { action(waiting.value) } else { schedule(waiting.due) }
    }
}

extension Publisher {
    /// Sends the values and the completion later, on `scheduler`, even if the publisher already sends there: the property from which a value was read
    /// may have changed (R-COMB-02). They arrive in order and one at a time, also from a concurrent scheduler.
    ///
    /// ```swift
    /// let token = progress.receive(on: DispatchQueue.main).sink { bar.value = $0 }
    /// ```
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
        relayed { scheduler.schedule(options: options, $0) }
    }

    /// Sends the values and the completion after an interval.
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        relayed {
            scheduler.schedule(
                after: scheduler.now.advanced(by: interval), tolerance: tolerance ?? scheduler.minimumTolerance, options: options, $0)
        }
    }

    private func relayed(_ schedule: @escaping (@escaping () -> Void) -> Void) -> Publishers.Map<Self, Output> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber)
            let line = Line()
            flow.connect(upstream) { _, value in
                line.add({ flow.send(value) }, schedule)
                return .none
            } completion: { _, end in
                line.add({ flow.end(end) }, schedule)
            }
        }
    }

    /// Subscribes, requests and cancels on `scheduler`.
    public func subscribe<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.SubscribeOn<Self, S> {
        Publishers.Operator(self) { upstream, subscriber in
            let scheduling = AnySubscriber<Output, Failure> { subscription in
                subscriber.receive(
                    subscription: SubscriptionProxy { demand in
                        scheduler.schedule(options: options) { subscription.request(demand) }
                    } cancel: {
                        scheduler.schedule(options: options) { subscription.cancel() }
                    })
            } receiveValue: {
                subscriber.receive($0)
            } receiveCompletion: {
                subscriber.receive(completion: $0)
            }
            scheduler.schedule(options: options) { upstream.subscribe(scheduling) }
        }
    }

    /// Sends a value when no further one has followed for `dueTime`. Values without demand are discarded, as is one that waits at the completion.
    ///
    /// ```swift
    /// let queries = text.debounce(for: .milliseconds(300), scheduler: DispatchQueue.main)
    /// ```
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber, surplus: .dropped)
            let deadline = Deadline<S, Output>(scheduler, options) { flow.send($0) }
            flow.connect(upstream, demand: .unlimited) { _, value in
                deadline.set(value, after: dueTime)
                return .none
            } completion: { _, end in
                deadline.clear()
                scheduler.schedule(options: options) { flow.end(end) }
            }
        }
    }

    /// Sends at most one value in each interval: the first at once, and after the interval the newest of those that followed, or the oldest of them.
    /// Values without demand are discarded. A completion follows the value that waits.
    ///
    /// ```swift
    /// let shown = progress.throttle(for: .seconds(1), scheduler: RunLoop.main, latest: true)
    /// ```
    public func throttle<S: Scheduler>(for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool) -> Publishers.Throttle<Self, S> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber, surplus: .dropped)
            let line = Line()
            let state = Guarded((next: S.SchedulerTimeType?.none, waiting: Output?.none))
            flow.connect(upstream, demand: .unlimited) { _, value in
                let now = scheduler.now
                let (due, former) = state.withLock { state -> (S.SchedulerTimeType?, Output?) in
                    let former = state.waiting
                    if former == nil || latest { state.waiting = value }
                    guard former == nil else { return (nil, former) }
                    let due = Swift.max(state.next ?? now, now)
                    state.next = due.advanced(by: interval)
                    return (due, nil)
                }
                _ = former
                guard let due else { return .none }
                line.add {
                    if let value = state.withLock({ state in
                        defer { state.waiting = nil }
                        return state.waiting
                    }) {
                        flow.send(value)
                    }
                } _: {
                    if due > now { scheduler.schedule(after: due, $0) } else { scheduler.schedule($0) }
                }
                return .none
            } completion: { _, end in
                let due = state.withLock { $0.waiting == nil ? nil : $0.next?.advanced(by: 0 - interval) }
                line.add {
                    flow.end(end)
                } _: {
                    if let due, due > scheduler.now { scheduler.schedule(after: due, $0) } else { scheduler.schedule($0) }
                }
            }
        }
    }

    /// Finishes, or fails with `customError`, if no value follows the subscription or a value within `interval`.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil, customError: (() -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Operator(self) { upstream, subscriber in
            let flow = Flow<Output, Failure>(to: subscriber)
            let deadline = Deadline<S, Void>(scheduler, options) { _ in flow.end(customError.map { .failure($0()) } ?? .finished) }
            deadline.set((), after: interval)
            let line = Line()
            flow.connect(upstream) { _, value in
                deadline.set((), after: interval)
                line.add({ flow.send(value) }) { scheduler.schedule(options: options, $0) }
                return .none
            } completion: { _, end in
                line.add({ flow.end(end) }) { scheduler.schedule(options: options, $0) }
            }
        }
    }
}
