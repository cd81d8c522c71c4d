/// The subscribers of a subject, in the order of subscription, and the subject's value if it stores one.
final class SubjectHub<Output, Failure: Error>: Sendable {
    private struct State {
        var value: Output?
        let hasValue: Bool
        var outlets: [Outlet<Output, Failure>] = []
        var completion: Subscribers.Completion<Failure>?
        var sources: [any Subscription] = []
    }
    private let state: Guarded<State>

    /// - Parameter value: Nil if the subject stores none.
    init(_ value: Output?) { state = Guarded(State(value: value, hasValue: value != nil)) }

    deinit { for source in state.withLock({ $0.sources }) { source.cancel() } }

    var value: Output? { state.withLock { $0.value } }

    func send(_ value: Output) {
        let (outlets, former) = state.withLock { state -> ([Outlet<Output, Failure>], Output?) in
            guard state.completion == nil else { return ([], nil) }
            let former = state.value
            if state.hasValue { state.value = value }
            // Inside the lock, so that all subscribers receive the same order, the newest last.
            for outlet in state.outlets { outlet.enqueue(value) }
            return (state.outlets, former)
        }
        for outlet in outlets { outlet.deliver() }
        _ = former
    }

    func send(completion: Subscribers.Completion<Failure>) {
        let (outlets, sources) = state.withLock { state -> ([Outlet<Output, Failure>], [any Subscription]) in
            guard state.completion == nil else { return ([], []) }
            state.completion = completion
            defer { (state.outlets, state.sources) = ([], []) }
            return (state.outlets, state.sources)
        }
        for outlet in outlets { outlet.send(completion: completion) }
        for source in sources { source.cancel() }
    }

    func take(_ subscription: any Subscription) {
        let isEnded = state.withLock { state in
            if state.completion == nil { state.sources.append(subscription) }
            return state.completion != nil
        }
        if isEnded { subscription.cancel() } else { subscription.request(.unlimited) }
    }

    func add<S: Subscriber>(_ subscriber: S, surplus: Outlet<Output, Failure>.Surplus) where S.Input == Output, S.Failure == Failure {
        let place = Guarded<ObjectIdentifier?>(nil)
        let outlet = state.withLock { state in
            let outlet = Outlet(
                to: subscriber, surplus: surplus, first: state.completion == nil ? state.value : nil,
                whenEnded: { [weak self] in if let outlet = place.take() { self?.remove(outlet) } })
            place.withLock { $0 = ObjectIdentifier(outlet) }
            if let completion = state.completion { outlet.enqueue(completion: completion) } else { state.outlets.append(outlet) }
            return outlet
        }
        outlet.begin()
    }

    private func remove(_ identity: ObjectIdentifier) {
        let gone = state.withLock { state -> Outlet<Output, Failure>? in
            guard let index = state.outlets.firstIndex(where: { ObjectIdentifier($0) == identity }) else { return nil }
            return state.outlets.remove(at: index)
        }
        _ = gone
    }
}
