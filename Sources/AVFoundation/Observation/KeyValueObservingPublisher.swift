public import Combine
import Dispatch
import Synchronization

extension KeyValueObserving {
    /// Returns a publisher of a property's values: the current value at subscription, then the new value at each change of the property (R-COMB-01).
    ///
    /// A subscriber that has no demand when the property changes receives the newest value as soon as it has demand. The publisher of a property
    /// sends values on the main actor, and never completes.
    public func publisher<Value>(
        for keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [.initial, .new]
    ) -> KeyValueObservingPublisher<Self, Value> {
        KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
    }
}

/// A publisher of the values of one property of one object.
public struct KeyValueObservingPublisher<Subject: KeyValueObserving, Value>: Publisher {
    public typealias Output = Value
    public typealias Failure = Never
    public let object: Subject
    public let keyPath: KeyPath<Subject, Value>
    /// The options of the observation: with `.initial` the current value is sent first, with `.prior` the old value is sent before each change.
    public let options: NSKeyValueObservingOptions

    public init(object: Subject, keyPath: KeyPath<Subject, Value>, options: NSKeyValueObservingOptions) {
        self.object = object
        self.keyPath = keyPath
        self.options = options
    }

    /// Subscribes `subscriber`. If the caller is on the main actor, the current value is sent before the call returns; otherwise the current value is
    /// sent later, on the main actor.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
        let token = TokenHolder()
        let outlet = Outlet(to: subscriber, surplus: .newest, whenEnded: { token.end() })
        outlet.begin()
        let (observed, options) = (HandedOver(value: (object, keyPath)), options)
        onMainActor { [weak outlet] in
            guard let outlet else { return }
            let (object, keyPath) = observed.value
            token.hold(
                object.observe(keyPath, options: options.union(.new)) { [weak outlet] object, change in
                    outlet?.send(change.newValue ?? object[keyPath: keyPath])
                })
        }
    }
}

/// Holds the observation of one subscription, which may be cancelled before the observation starts.
private final class TokenHolder: Sendable {
    private let state = Mutex<(token: NSKeyValueObservation?, isEnded: Bool)>((nil, false))

    func hold(_ token: NSKeyValueObservation) {
        let isTooLate = state.withLock { state in
            if !state.isEnded { state.token = token }
            return state.isEnded
        }
        if isTooLate { token.invalidate() }
    }

    func end() {
        let token = state.withLock { state in
            state.isEnded = true
            defer { state.token = nil }
            return state.token
        }
        token?.invalidate()
    }
}

/// Runs the function `body` on the main actor: synchronously if the caller is already on the main actor.
private func onMainActor(_ body: @escaping @MainActor @Sendable () -> Void) {
    if MainQueue.isCurrent {
        MainActor.assumeIsolated { body() }
    } else {
        DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
    }
}
