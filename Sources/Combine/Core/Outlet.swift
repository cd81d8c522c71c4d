import Synchronization

/// Sends values to one subscriber: in order, one at a time, never more than its demand, and none after the completion or a cancellation. The
/// subscriber is called without a lock; values sent during the call wait.
package final class Outlet<Output, Failure: Error>: Subscription, Sendable {
    /// What happens to a value beyond the demand.
    package enum Surplus {
        case dropped
        /// The value waits, until a newer value or the completion replaces it.
        case newest
        /// All values wait, in order; the completion follows them.
        case kept
    }
    private struct Entry {
        var value: Output
        /// Called after the subscriber has received the value.
        var whenTaken: (() -> Void)?
    }
    private enum Step {
        case value(Entry, AnySubscriber<Output, Failure>)
        case end(Subscribers.Completion<Failure>, AnySubscriber<Output, Failure>)
    }
    private struct State {
        var subscriber: AnySubscriber<Output, Failure>?
        var demand = Subscribers.Demand.none
        var waiting: [Entry] = []
        var completion: Subscribers.Completion<Failure>?
        /// True while the subscriber is being called, and before it has its subscription.
        var isBusy = true
        var whenRequested: ((Subscribers.Demand) -> Void)?
        var whenEnded: (() -> Void)?
    }
    private let surplus: Surplus
    private let state: Guarded<State>

    /// - Parameters:
    ///   - whenRequested: Called with each demand, after it was added to the total.
    ///   - whenEnded: Called once, after the completion or a cancellation.
    package init<S: Subscriber>(
        to subscriber: S, surplus: Surplus, first: Output? = nil, whenRequested: ((Subscribers.Demand) -> Void)? = nil,
        whenEnded: (() -> Void)? = nil
    ) where S.Input == Output, S.Failure == Failure {
        self.surplus = surplus
        var start = State(subscriber: AnySubscriber(subscriber), whenRequested: whenRequested, whenEnded: whenEnded)
        if let first { start.waiting = [Entry(value: first)] }
        state = Guarded(start)
    }

    deinit { finish() }

    /// Sends the subscription, and then the values that have arrived before.
    package func begin() {
        state.withLock { $0.subscriber }?.receive(subscription: self)
        deliver(isMine: true)
    }

    package func send(_ value: Output, whenTaken: (() -> Void)? = nil) {
        enqueue(value, whenTaken: whenTaken)
        deliver()
    }
    package func send(completion: Subscribers.Completion<Failure>) {
        enqueue(completion: completion)
        deliver()
    }

    /// The value waits for `deliver`. No other object is called, so the caller may be inside a lock.
    func enqueue(_ value: Output, whenTaken: (() -> Void)? = nil) {
        let dropped = state.withLock { state -> Entry? in
            let entry = Entry(value: value, whenTaken: whenTaken)
            guard state.subscriber != nil, state.completion == nil else { return entry }
            if surplus == .kept || state.demand > state.waiting.count {
                state.waiting.append(entry)
                return nil
            }
            guard surplus == .newest else { return entry }
            // This value is beyond the demand.
            let former = state.demand < state.waiting.count ? state.waiting.popLast() : nil
            state.waiting.append(entry)
            return former
        }
        _ = dropped
    }
    func enqueue(completion: Subscribers.Completion<Failure>) {
        state.withLock { if $0.completion == nil { $0.completion = completion } }
    }

    /// Sends as many values as are requested, and then the completion if it is due.
    func deliver() { deliver(isMine: false) }

    private func deliver(isMine: Bool) {
        let begins = state.withLock { state in
            guard isMine || !state.isBusy else { return false }
            state.isBusy = true
            return true
        }
        guard begins else { return }
        while let step = state.withLock({ nextStep(&$0) }) {
            switch step {
            case .value(let entry, let subscriber):
                let more = subscriber.receive(entry.value)
                if more > .none { request(more) }
                entry.whenTaken?()
            case .end(let completion, let subscriber):
                subscriber.receive(completion: completion)
                finish()
            }
        }
    }

    private func nextStep(_ state: inout State) -> Step? {
        if let subscriber = state.subscriber {
            if !state.waiting.isEmpty, state.demand > .none {
                state.demand -= 1
                return .value(state.waiting.removeFirst(), subscriber)
            }
            if let completion = state.completion, state.waiting.isEmpty || surplus != .kept {
                state.subscriber = nil
                return .end(completion, subscriber)
            }
        }
        state.isBusy = false
        return nil
    }

    // MARK: Requests of the subscriber

    package func request(_ demand: Subscribers.Demand) {
        let whenRequested = state.withLock { state in
            state.demand += demand
            return state.whenRequested
        }
        whenRequested?(demand)
        deliver()
    }

    package func cancel() { finish() }

    private func finish() {
        let former = state.withLock { state in
            let former = state
            state.subscriber = nil
            state.waiting = []
            state.whenRequested = nil
            state.whenEnded = nil
            return former
        }
        former.whenEnded?()
    }
}

/// State under a lock. It need not be Sendable, because each subscriber receives one value at a time. If a subject sends one object to several
/// subscribers, its users must synchronise them.
final class Guarded<State>: Sendable {
    /// `@unchecked Sendable`: the value is in the mutex, or in transit from it to one thread.
    private struct Unchecked<Value>: @unchecked Sendable { var value: Value }
    private let mutex: Mutex<Unchecked<State>>

    init(_ state: State) { mutex = Mutex(Unchecked(value: state)) }

    /// `body` must neither call nor destroy a user's object, which might need the same lock.
    func withLock<Result>(_ body: (inout State) -> Result) -> Result { mutex.withLock { Unchecked(value: body(&$0.value)) }.value }

    /// Returns the value, and leaves nil.
    func take<Wrapped>() -> Wrapped? where State == Wrapped? {
        withLock { state in
            defer { state = nil }
            return state
        }
    }
}

/// A value in transit to another thread.
///
/// `@unchecked Sendable`: the publisher or scheduler does not use the value afterwards. If several subscribers get the same object, their users must
/// synchronise its use (see `Guarded`).
package struct HandedOver<Value>: @unchecked Sendable {
    package let value: Value
    package init(value: Value) { self.value = value }
}
